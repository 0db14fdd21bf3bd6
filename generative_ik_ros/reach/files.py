"""Files of reachability maps: NPZ, and Zarr folders that are written chunk by chunk."""

import json
import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError, importing

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


FORMAT, VERSION = "generative_ik_ros reachability map", 1
_LAST = "reachable"
"""The array that is written last of a chunk: where it has a chunk, all others have it."""
_HEADER = "header"
_MOST_BYTES = 2**34


def write_npz(path: Path, header: dict[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a map into one file, all of it or nothing.

    Raises:
        InvalidArgumentError: The file cannot be written.
    """
    part = path.with_name(path.name + ".partial")
    try:
        with part.open("wb") as file:
            np.savez_compressed(file, header=_header_text(header), **arrays)
        part.replace(path)
    except OSError as error:
        raise InvalidArgumentError(f"cannot write '{path}': {error.strerror}") from error
    finally:
        with suppress(OSError):
            part.unlink()


def read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Read a map's header and its arrays.

    Raises:
        InvalidArgumentError: There is no such map, or it is malformed or not complete.
        MissingDependencyError: A folder needs zarr, which is not installed.
    """
    if path.is_dir():
        header, arrays = _read_zarr(path)
    elif path.is_file():
        header, arrays = _read_npz(path)
    else:
        raise InvalidArgumentError(f"there is no reachability map at {path}")
    check_arrays(str(path), header, arrays)
    return header, arrays


def _read_npz(path: Path) -> tuple[dict[str, Any], dict[str, NDArray]]:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > _MOST_BYTES:
            raise InvalidArgumentError(f"{path} would take {size:.3g} bytes of memory")
        with np.load(path, allow_pickle=False) as file:
            names = {*ARRAYS, *OPTIONAL} & set(file.files)
            header = _header(str(path), str(file[_HEADER]) if _HEADER in file.files else "")
            return header, {name: file[name] for name in names}
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, KeyError) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise InvalidArgumentError(f"{path} is no reachability map: {error}") from None


def _header_text(header: dict[str, Any]) -> str:
    return json.dumps({"format": FORMAT, "version": VERSION, **header}, sort_keys=True)


def _header(path: str, text: str) -> dict[str, Any]:
    """Return a header that says that the file is a map."""
    try:
        header = json.loads(text)
    except json.JSONDecodeError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InvalidArgumentError(f"{path} is no reachability map of this package")
    if header.get("version") != VERSION:
        raise InvalidArgumentError(
            f"{path} is a map of version {header.get('version')!r}; this package reads {VERSION}"
        )
    if (
        not all(isinstance(header.get(name), str) for name in TEXTS)
        or not isinstance(header.get("resolution", ""), float | None)
        or not all(isinstance(header.get(name), bool | None) for name in CHECKED)
    ):
        raise InvalidArgumentError(f"{path}: the header of the map is malformed")
    return header


@contextmanager
def zarr_errors(path: Path) -> Iterator[Any]:
    """Give zarr, and turn its errors about a folder into ours."""
    with importing("Zarr folders need zarr", "'generative_ik_ros[reach]' (Python 3.11 or later)"):
        import zarr
    try:
        with zarr.config.set({"array.write_empty_chunks": True}):
            yield zarr
    except (ValueError, KeyError, TypeError, OSError, RuntimeError) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise InvalidArgumentError(f"{path}: {type(error).__name__}: {error}") from error


class ZarrFolder:
    """A map in a Zarr folder, complete or not.

    Args:
        path: The folder; made where it does not exist.
        header: What the map is; `token` in it tells maps from each other.
        fixed: Arrays that are known before the computation.
        types: The other arrays and their types.
        shape: (P, D, R) of these.
        rows: Positions in a chunk.
        new: Whether there must be no map yet.

    Raises:
        InvalidArgumentError: The folder has something else in it.
        MissingDependencyError: zarr is not installed.
    """

    def __init__(
        self,
        path: Path,
        header: dict[str, Any],
        fixed: Mapping[str, NDArray],
        types: Mapping[str, type[np.generic]],
        shape: tuple[int, int, int],
        rows: int,
        *,
        new: bool = False,
    ):
        """Open the folder, or make it."""
        self._path, self._rows, self._names = path, rows, [*types]
        with zarr_errors(path) as zarr:
            if new or not (path / "zarr.json").exists():
                if path.exists() and (not path.is_dir() or any(path.iterdir())):
                    raise InvalidArgumentError(f"{path} is not empty: choose another path")
                self._make(zarr, header, fixed, types, shape)
            self._group = zarr.open_group(path, mode="r+")
            found = _header(str(path), str(self._group.attrs.get(_HEADER, "")))
            if found.get("token") != header["token"]:
                raise InvalidArgumentError(
                    f"{path} is a map of other arguments: {_differences(found, header)}. Choose "
                    "another path, or remove that folder"
                )
        for litter in path.rglob("*.partial"):
            litter.unlink(missing_ok=True)

    def _make(
        self,
        zarr: Any,  # noqa: ANN401 (a module)
        header: dict[str, Any],
        fixed: Mapping[str, NDArray],
        types: Mapping[str, type[np.generic]],
        shape: tuple[int, int, int],
    ) -> None:
        """Make the folder; the header comes last, so that what has one has all else."""
        group = zarr.open_group(self._path, mode="w")
        for name, values in fixed.items():
            group.create_array(name, data=values, chunks=tuple(max(1, n) for n in values.shape))
        chunks = (min(self._rows, shape[0]), *shape[1:])
        for name, kind in types.items():
            group.create_array(name, shape=shape, chunks=chunks, dtype=kind, fill_value=0)
        group.attrs[_HEADER] = _header_text(header)

    def missing(self, count: int) -> list[int]:
        """Return which of the chunks are not there yet."""
        folder = self._path / _LAST / "c"
        return [i for i in range(count) if not (folder / str(i) / "0" / "0").exists()]

    def write(self, index: int, arrays: Mapping[str, NDArray]) -> None:
        """Write a chunk."""
        with zarr_errors(self._path):
            for name in sorted(self._names, key=lambda name: name == _LAST):
                rows = slice(index * self._rows, index * self._rows + len(arrays[name]))
                self._group[name][rows] = arrays[name]


def _differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Say in which arguments two maps differ."""
    names = [
        name
        for name in wanted
        if name not in ("token", "format", "version") and found.get(name) != wanted[name]
    ]
    texts = [f"{name} {found.get(name)!r}, not {wanted[name]!r}" for name in names]
    return "; ".join(texts) or "other joints, orientations, positions, collisions or seed"


def _read_zarr(path: Path) -> tuple[dict[str, Any], dict[str, NDArray]]:
    with zarr_errors(path) as zarr:
        group = zarr.open_group(path, mode="r")
        header = _header(str(path), str(group.attrs.get(_HEADER, "")))
        names = [name for name in (*ARRAYS, *OPTIONAL) if name in group]
        size = sum(math.prod(group[name].shape) * group[name].dtype.itemsize for name in names)
        if size > _MOST_BYTES:
            raise InvalidArgumentError(f"{path} would take {size:.3g} bytes of memory")
        if _LAST in names:
            count = math.ceil(group[_LAST].shape[0] / max(1, group[_LAST].chunks[0]))
            there = sum((path / _LAST / "c" / str(i)).exists() for i in range(count))
            if there < count:
                raise InvalidArgumentError(
                    f"{path}: {there} of {count} chunks are computed; the same "
                    "computation with path=, in the shell --save, goes on"
                )
        return header, {name: np.asarray(group[name][...]) for name in names}
