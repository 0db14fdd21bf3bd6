"""Runs the chunks of a map: on threads of this process, or on the workers of a Dask cluster."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from generative_ik_ros._core import usable_cores
from generative_ik_ros.errors import InvalidArgumentError, importing
from generative_ik_ros.reach.chunk import Arrays, ChunkSolver
from generative_ik_ros.reach.spec import MapSpec

if TYPE_CHECKING:
    from distributed import Client


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
    solver = ChunkSolver(spec)
    with ThreadPoolExecutor(usable_cores(), "reach") as pool:
        yield from _in_turns(chunks, usable_cores() + 1, partial(pool.submit, solver.solve))


def _in_turns(
    chunks: Sequence[int], most: int, submit: Callable[[int], "Future[Arrays]"]
) -> Generator[tuple[int, Arrays]]:
    """Yield results of chunks in any order, with at most so many under way."""
    left, running = iter(chunks), {}
    try:
        while True:
            for index in left:
                running[submit(index)] = index
                if len(running) >= most:
                    break
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        for future in running:
            future.cancel()


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
    elif isinstance(dask, str):
        try:
            client, own = Client(dask, timeout=TUNING.connect), True
        except (OSError, ValueError) as error:
            raise InvalidArgumentError(f"dask: no scheduler at {dask!r}: {error}") from None
    else:
        raise InvalidArgumentError(
            f"dask must be a scheduler's address or a distributed.Client, not {type(dask)}"
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
