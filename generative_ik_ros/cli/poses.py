"""Poses from a file: comma-separated text with a header, or NumPy's own formats."""

import csv
import math
import sys
import warnings
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError
from generative_ik_ros.robot.poses import pose_matrix
from generative_ik_ros.robot.targets import check_targets

STANDARD_INPUT = "-"
_QUATERNION = ("x", "y", "z", "qx", "qy", "qz", "qw")
_ANGLES = ("x", "y", "z", "roll", "pitch", "yaw")
_HEADERS = f"{','.join(_QUATERNION)} or {','.join(_ANGLES)} (m, rad), in any order"


def read_poses(file: str) -> Floats:
    """Read poses of the tip in the base.

    Args:
        file: `.npy` and `.npz` are arrays, (B, 7) x y z and a quaternion x y z w, or (B, 4, 4).
            Anything else, and standard input ("-"), is text with commas, whose first line names
            the columns; roll, pitch and yaw are URDF's, about fixed axes x, y, z. Columns of
            other names are ignored.

    Returns:
        (B, 4, 4) checked poses [m].

    Raises:
        InvalidArgumentError: The file cannot be read.
        InvalidTargetError: It has no poses, or a number in it is bad; the message says which.
    """
    name = "standard input" if file == STANDARD_INPUT else f"'{file}'"
    try:
        if Path(file).suffix.lower() in (".npy", ".npz"):
            return check_targets(_of_array(name, _array(name, file)))
        text = sys.stdin.read() if file == STANDARD_INPUT else Path(file).read_text("utf-8")
        return check_targets(_of_text(name, text.removeprefix("\ufeff").splitlines()))
    except OSError as error:
        raise InvalidArgumentError(f"cannot read {name}: {error.strerror or error}") from error
    except (UnicodeDecodeError, csv.Error):
        raise InvalidTargetError(f"{name} is neither text nor a .npy or .npz file") from None
    except InvalidTargetError as error:
        raise InvalidTargetError(f"{name}: {error}".replace(f"{name}: {name}", name)) from None


def _array(name: str, file: str) -> Floats:
    """Load the array of a .npy file, or the one named poses or the only one of a .npz file."""
    try:
        content = np.load(file, allow_pickle=False)
        if isinstance(content, np.ndarray):
            return content
        with content:
            key = "poses" if "poses" in content.files or len(content.files) != 1 else None
            return content[key or content.files[0]]
    except KeyError:
        raise InvalidTargetError(f"{name} has no array 'poses', and not one array only") from None
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InvalidTargetError(f"{name} cannot be read as NumPy's format: {error}") from None


def _of_array(name: str, array: Floats) -> Floats:
    if array.ndim != 2 or array.shape[1] != len(_QUATERNION):
        if array.shape[-2:] != (4, 4) or array.ndim not in (2, 3):
            raise InvalidTargetError(
                f"{name} has an array of shape {array.shape}; it must be (B, 7), x y z and a "
                "quaternion x y z w, or (B, 4, 4)"
            )
        return array
    try:
        return pose_matrix(array[:, :3], array[:, 3:])
    except InvalidTargetError as error:
        rows = ((f"row {i}", row) for i, row in enumerate(array.tolist()))
        raise _first_fault(rows, _QUATERNION, range(7)) or error from None


def _of_text(name: str, lines: Sequence[str]) -> Floats:
    """Read lines of numbers with commas; the first that is not empty names the columns."""
    body = [line for line in lines if line.strip()]
    header = [word.strip().lower() for word in next(csv.reader(body[:1]), [])]
    names = _ANGLES if "roll" in header else _QUATERNION
    missing = [one for one in names if header.count(one) != 1]
    if missing or ("roll" in header and "qx" in header):
        what = f"not one column {', '.join(missing)}" if missing else "two kinds of rotation"
        raise InvalidTargetError(
            f"{name} has {what}: its first line must name {_HEADERS}; "
            f"it is '{(body or [''])[0][:80]}'"
        )
    columns = [header.index(one) for one in names]
    if len(body) == 1:
        return np.zeros((0, 4, 4))
    try:
        with warnings.catch_warnings():
            values = np.loadtxt(
                body[1:], delimiter=",", comments=None, usecols=columns, ndmin=2, quotechar='"'
            )
        turns = values[:, 3:]
        if names is _ANGLES:
            turns = Rotation.from_euler("xyz", turns).as_quat()
        return pose_matrix(values[:, :3], turns)
    except (ValueError, csv.Error) as error:
        reader = csv.reader(lines)
        rows = ((f"line {reader.line_num}", row) for row in reader if "".join(row).strip())
        next(rows)
        raise _first_fault(rows, names, columns) or InvalidTargetError(str(error)) from None


def _first_fault(
    rows: Iterable[tuple[str, Sequence[object]]], names: Sequence[str], columns: Iterable[int]
) -> InvalidTargetError | None:
    """Say where the first number stands that is none, or the first quaternion that is zero."""
    where = dict(zip(names, columns, strict=True))
    for place, row in rows:
        numbers = []
        for name, column in where.items():
            if column >= len(row):
                return InvalidTargetError(f"{place}, column {name} is missing")
            try:
                numbers.append(float(row[column]))  # pyright: ignore[reportArgumentType]
            except ValueError:
                return InvalidTargetError(f"{place}, column {name}: '{row[column]}' is no number")
            if not math.isfinite(numbers[-1]):
                return InvalidTargetError(f"{place}, column {name}: '{row[column]}' is not finite")
        if names is _QUATERNION and max(map(abs, numbers[3:])) < 1e-9:
            return InvalidTargetError(
                f"{place}: qx, qy, qz, qw are all zero, which is no rotation; none is 0, 0, 0, 1"
            )
    return None
