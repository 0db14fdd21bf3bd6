"""Files of a reachability map for other programs: point clouds for viewers, rows for tables."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.drawing.colors import as_bytes, by_index
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.reach.spec import MEASURES


def export(reach: ReachabilityMap, path: Path | str) -> None:
    """Write a map to a file whose ending chooses the format; `ReachabilityMap.save` keeps all.

    - `.ply`: a point for each position with a pose that is reached, binary, with the colour and
      the property `index`, the reachability index.
    - `.csv`: a row for each position, see `columns`.

    Raises:
        InvalidArgumentError: The ending is another one, or the file cannot be written.
    """
    path = Path(path)
    check_export_ending(path)
    try:
        with path.open("wb") as file:
            _WRITERS[path.suffix.lower()](reach, file)
    except OSError as error:
        raise InvalidArgumentError(f"cannot write '{path}': {error.strerror}") from error


def check_export_ending(path: Path) -> None:
    """Raise an InvalidArgumentError if `export` does not know the ending of a path."""
    if path.suffix.lower() not in _WRITERS:
        raise InvalidArgumentError(
            f"cannot export a map to '{path}': its ending must be one of {', '.join(_WRITERS)}; "
            "the whole map is saved as .npz or as a folder of Zarr"
        )


def columns(reach: ReachabilityMap, rows: slice | Ints = slice(None)) -> dict[str, Floats]:
    """Return what a map says of its positions, or of some, by the names of a table's columns.

    Returns:
        `x`, `y`, `z` [m], `index`, `reached` and `tried` (numbers of poses), and the best of each
        measure that the map has; (P,) each. Measures are NaN where no pose is reached.
    """
    reached = reach.reachable[rows]
    tried = np.ones_like(reached) if reach.tested is None else reach.tested[rows]
    reached = reached & tried
    found = dict(zip("xyz", reach.positions[rows].T, strict=True))
    counts, tries = (one.sum(axis=(1, 2)) for one in (reached, tried))
    found |= {"index": counts / np.maximum(tries, 1), "reached": counts, "tried": tries}
    for name in MEASURES:
        measure = getattr(reach, name)
        if measure is not None:
            best = np.where(reached, measure[rows], -np.inf).max(axis=(1, 2), initial=-np.inf)
            found[name] = np.where(counts > 0, best, np.nan)
    return found


def _write_ply(reach: ReachabilityMap, file: BinaryIO) -> None:
    index = reach.index
    some = index > 0.0
    kinds = [
        *((name, "<f4") for name in "xyz"),
        *((name, "u1") for name in ("red", "green", "blue")),
        ("index", "<f4"),
    ]
    points = np.zeros(int(some.sum()), dtype=kinds)
    colors = as_bytes(by_index(index[some]))
    for name, values in zip("xyz", reach.positions[some].T, strict=True):
        points[name] = values
    for name, values in zip(("red", "green", "blue"), colors.T, strict=True):
        points[name] = values
    points["index"] = index[some]
    names = {"base_link": reach.base_link, "tip_link": reach.tip_link}
    types = {"<f4": "float", "u1": "uchar"}
    head = [
        "ply",
        "format binary_little_endian 1.0",
        f"comment reachability index, in metres: {json.dumps(names)}",
        f"element vertex {len(points)}",
        *(f"property {types[kind]} {name}" for name, kind in kinds),
        "end_header\n",
    ]
    file.write("\n".join(head).encode())
    file.write(points.tobytes())


def _write_csv(reach: ReachabilityMap, file: BinaryIO) -> None:
    table = columns(reach)
    counts = ("reached", "tried", "num_solutions")
    formats = ["%d" if name in counts else "%.6g" for name in table]
    file.write((",".join(table) + "\n").encode())
    for row in zip(*table.values(), strict=True):
        cells = ("" if np.isnan(x) else form % x for form, x in zip(formats, row, strict=True))
        file.write((",".join(cells) + "\n").encode())


_WRITERS: dict[str, Callable[[ReachabilityMap, BinaryIO], None]] = {
    ".ply": _write_ply,
    ".csv": _write_csv,
}
