"""Computes a reachability map: all of its chunks, in memory or in a Zarr folder."""

import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import usable_cores
from generative_ik_ros.arguments import file_path
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, importing, shown
from generative_ik_ros.reach.chunk import Arrays, ChunkSolver
from generative_ik_ros.reach.files import ZarrFolder, read
from generative_ik_ros.reach.spec import MapSpec
from generative_ik_ros.robot.chain import KinematicChain

if TYPE_CHECKING:
    from distributed import Client

OnProgress = Callable[[int, int], object]


def check_on_progress(on_progress: object) -> None:
    """Check who is told of progress."""
    if on_progress is not None and not callable(on_progress):
        raise InvalidArgumentError(
            f"on_progress must be a function of (done, total), not {shown(on_progress)}"
        )


def compute(
    spec: MapSpec,
    path: "str | os.PathLike[str] | None",
    dask: "str | Client | None",
    on_progress: OnProgress | None,
) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Compute a map; `ReachabilityMap.compute` says what the arguments are.

    Returns:
        Header and arrays, as they are stored.
    """
    check_on_progress(on_progress)
    fixed, header, todo = fixed_arrays(spec), header_of(spec), list(range(spec.num_chunks))
    folder, arrays = None, {}
    if path is None:
        arrays = {name: np.zeros(spec.shape, kind) for name, kind in spec.types.items()}
    else:
        place = file_path("path", path)
        folder = ZarrFolder(place, header, fixed, spec.types, spec.shape, spec.rows)
        todo = folder.missing(spec.num_chunks)
    tell = on_progress if on_progress is not None else lambda *_: None
    done = spec.num_chunks - len(todo)
    tell(done, spec.num_chunks)
    if todo:
        results = on_threads(spec, todo) if dask is None else on_dask(spec, todo, dask)
        with closing(results):
            for index, chunk in results:
                if folder is not None:
                    folder.write(index, chunk)
                for name, values in arrays.items():
                    values[index * spec.rows : index * spec.rows + len(chunk[name])] = chunk[name]
                done += 1
                tell(done, spec.num_chunks)
    if path is not None:
        return read(Path(path))
    return header, {**fixed, **arrays}


def header_of(spec: MapSpec) -> dict[str, Any]:
    """Return what a file says about a map besides arrays; JSON."""
    return {
        "fingerprint": spec.chain.fingerprint,
        "base_link": spec.chain.base_link,
        "tip_link": spec.chain.tip_link,
        "resolution": None if np.isnan(spec.resolution) else spec.resolution,
        "shape": list(spec.shape),
        "region": None if spec.region is None else spec.region.tolist(),
        "collision": spec.collision is not None,
        "scene": spec.scene is not None,
        "measures": list(spec.measures),
        "most_solutions": spec.num_solutions if spec.measures else 1,
        "share": spec.share,
        "random_seed": spec.random_seed,
        "token": spec.token,
    }


def frames_of(chain: KinematicChain) -> Floats:
    """Return (2, 4, 4) what the fingerprint leaves out: mounting and tool [m]."""
    canonical = chain.canonical
    return np.stack([canonical.first_joint_in_base, canonical.tip_in_last_joint])


def fixed_arrays(spec: MapSpec) -> dict[str, NDArray]:
    """Return the arrays that need no search."""
    layout, matrices = spec.layout, spec.orientations.matrices
    return {
        "origin": layout.origin,
        "positions": layout.positions,
        "voxels": layout.voxels,
        "approach": spec.symmetry.approach,
        "directions": matrices[:, 0] @ spec.symmetry.approach,
        "orientations": matrices,
        "frames": frames_of(spec.chain),
    }


@dataclass(frozen=True)
class ClusterTuning:
    """How chunks are handed to the workers of a cluster."""

    connect: float = 30.0
    """How long a scheduler is waited for [s]."""
    retries: int = 3
    """How often a chunk is tried again where a worker failed."""
    ahead: int = 4
    """Chunks for each worker's thread that are under way, so that none waits and few are in
    memory."""


TUNING = ClusterTuning()


def on_threads(spec: MapSpec, chunks: Sequence[int]) -> Generator[tuple[int, Arrays]]:
    """Compute chunks and yield them as they are finished."""
    solver, pool = ChunkSolver(spec), ThreadPoolExecutor(usable_cores(), "reach")
    left, running = iter(chunks), {}
    try:
        while True:
            for index in left:
                running[pool.submit(solver.solve, index)] = index
                if len(running) > usable_cores():  # one waits
                    break
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        # An interrupt does not wait for chunks that are under way, which nobody reads any more.
        pool.shutdown(wait=False, cancel_futures=True)


def on_dask(
    spec: MapSpec, chunks: Sequence[int], dask: "str | Client"
) -> Generator[tuple[int, Arrays]]:
    """Compute chunks on the workers of a cluster and yield them as they are finished.

    A chunk whose worker dies is computed by another.

    Args:
        spec: The map.
        chunks: Which to compute.
        dask: A scheduler's address, or a client.

    Raises:
        InvalidArgumentError: There is no scheduler at the address, or this is none.
        MissingDependencyError: dask is not installed.
    """
    with importing("dask= needs Dask", "'generative_ik_ros[reach]'"):
        from distributed import Client, as_completed
    if isinstance(dask, Client):
        client, own = dask, False
    elif isinstance(dask, str) and dask.strip():  # without an address, Dask starts workers here
        try:
            client, own = Client(dask, timeout=TUNING.connect), True
        except (OSError, ValueError) as error:
            raise InvalidArgumentError(f"dask: no scheduler at {shown(dask)}: {error}") from None
    else:
        raise InvalidArgumentError(
            f"dask must be a scheduler's address or a distributed.Client, not {shown(dask)}"
        )
    left = iter(chunks)
    # Made by a task, so that the scheduler can make it again where the worker that has it dies.
    shared = client.submit(_same, spec, key=f"reach-{spec.token}", pure=True)
    indices: dict[str, int] = {}

    def submit(index: int) -> Any:  # noqa: ANN401 (Dask has its own futures)
        key = f"reach-{spec.token}-{index}"
        indices[key] = index
        return client.submit(_solve, shared, index, key=key, retries=TUNING.retries)

    try:
        first = [
            submit(i) for i, _ in zip(left, range(TUNING.ahead * _threads(client)), strict=False)
        ]
        finished = as_completed(first)
        for future in finished:
            yield indices.pop(future.key), future.result()
            for index in left:
                finished.add(submit(index))
                break
    finally:
        if own:
            client.close()


def _threads(client: "Client") -> int:
    """Return how many threads the workers have together, at least one."""
    threads: Any = client.nthreads()  # a coroutine where the client is asynchronous
    return max(1, sum(threads.values()))


def _same(spec: MapSpec) -> MapSpec:
    return spec


_SOLVERS: dict[str, ChunkSolver] = {}
"""The solver of the map that this process worked on last, by the map's token."""


def _solve(spec: MapSpec, index: int) -> Arrays:
    """Compute a chunk on a worker, which keeps the solver for the next one."""
    solver = _SOLVERS.get(spec.token)
    if solver is None:
        solver = ChunkSolver(spec)
        _SOLVERS.clear()
        _SOLVERS[spec.token] = solver
    return solver.solve(index)
