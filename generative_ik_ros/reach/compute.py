"""Computes a reachability map: all of its chunks, in memory or in a Zarr folder."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.files import ZarrFolder, read
from generative_ik_ros.reach.run import on_dask, on_threads
from generative_ik_ros.reach.spec import MapSpec
from generative_ik_ros.robot.chain import KinematicChain

if TYPE_CHECKING:
    from distributed import Client

OnProgress = Callable[[int, int], object]


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
    if on_progress is not None and not callable(on_progress):
        raise InvalidArgumentError("on_progress must be a function of (done, total) chunks")
    fixed, header, todo = fixed_arrays(spec), header_of(spec), list(range(spec.num_chunks))
    folder, arrays = None, {}
    if path is None:
        arrays = {name: np.zeros(spec.shape, kind) for name, kind in spec.types.items()}
    else:
        place = Path(path)
        folder = ZarrFolder(place, header, fixed, spec.types, spec.shape, spec.rows)
        todo = folder.missing(spec.num_chunks)
    done = spec.num_chunks - len(todo)
    if on_progress is not None:
        on_progress(done, spec.num_chunks)
    if not todo and path is not None:
        return read(Path(path))
    results = on_threads(spec, todo) if dask is None else on_dask(spec, todo, dask)
    with closing(results):
        for index, chunk in results:
            if folder is not None:
                folder.write(index, chunk)
            for name, values in arrays.items():
                values[index * spec.rows : index * spec.rows + len(chunk[name])] = chunk[name]
            done += 1
            if on_progress is not None:
                on_progress(done, spec.num_chunks)
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


def frames_of(chain: KinematicChain) -> NDArray[np.float64]:
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
