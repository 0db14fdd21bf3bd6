"""The arrays of a stored reachability map: names, shapes and types, checked."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError

TEXTS = "fingerprint", "base_link", "tip_link"
CHECKED = "collision", "scene"
"""Whether poses had to be free of collisions; maps of earlier versions do not say."""
ARRAYS = {
    "origin": ("3", np.float64),
    "positions": ("P 3", np.float64),
    "voxels": ("V 3", np.int32),
    "approach": ("3", np.float64),
    "directions": ("D 3", np.float64),
    "orientations": ("D R 3 3", np.float64),
    "reachable": ("P D R", np.bool_),
}
"""What every map has: sizes, of which letters stand for any, and type."""
OPTIONAL = {
    "frames": ("2 4 4", np.float64),
    "tested": ("P D R", np.bool_),
    "num_solutions": ("P D R", np.uint16),
    "manipulability": ("P D R", np.float32),
    "limit_margin": ("P D R", np.float32),
    "clearance": ("P D R", np.float32),
}


def check_arrays(path: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray]) -> None:
    """Check what a file holds.

    Raises:
        InvalidArgumentError: It is no map; the message says why.
    """
    sizes: dict[str, int] = {}
    for name, (letters, kind) in {**ARRAYS, **OPTIONAL}.items():
        if name not in arrays:
            if name in ARRAYS:
                raise InvalidArgumentError(f"{path} has no array '{name}'")
            continue
        array, expected = arrays[name], letters.split()
        fits = len(expected) == array.ndim and all(
            size == (int(letter) if letter.isdigit() else sizes.setdefault(letter, size))
            for letter, size in zip(expected, array.shape, strict=True)
        )
        if not fits or array.dtype != kind:
            raise InvalidArgumentError(
                f"{path}: array '{name}' is {array.dtype} {array.shape}, not "
                f"{np.dtype(kind).name} ({letters.replace(' ', ', ')})"
            )
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise InvalidArgumentError(f"{path}: array '{name}' has values that are not finite")
    gridded = header["resolution"] is not None
    if sizes["V"] != (sizes["P"] if gridded else 0) or 0 in (sizes["P"], sizes["D"], sizes["R"]):
        raise InvalidArgumentError(f"{path}: positions and voxels do not fit together")
    if gridded:
        _check_grid(path, header["resolution"], arrays)


def _check_grid(path: str, resolution: float, arrays: Mapping[str, NDArray]) -> None:
    """Check that voxels are where positions say, each once."""
    voxels = arrays["voxels"]
    with np.errstate(all="ignore"):
        centres = arrays["origin"] + (voxels + 0.5) * resolution
        apart = np.abs(centres - arrays["positions"]).max()
    if not (resolution > 0.0 and apart < 1e-6 * resolution and voxels.min() >= 0):
        raise InvalidArgumentError(f"{path}: positions are not the centres of the voxels")
    if len(np.unique(voxels, axis=0)) < len(voxels):
        raise InvalidArgumentError(f"{path}: a voxel is there twice")
