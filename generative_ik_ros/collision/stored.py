"""Bodies that were built before, in memory and on disk."""

import hashlib
import io
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.build import EXTREMES, body_of
from generative_ik_ros.collision.cache_files import read_file, write_file
from generative_ik_ros.collision.shapes import Shape, Sphere, unchecked
from generative_ik_ros.collision.sphere_tree import EMPTY, SphereTree

_BUILDERS = (
    "balls",
    "build",
    "closed_mesh",
    "directions",
    "patches",
    "solid",
    "split",
    "stored",
)
"""Modules that decide what a body looks like: one built by others is not taken for the same."""
KEPT = 512
"""Bodies kept in memory."""

_kept: OrderedDict[str, Body] = OrderedDict()
_digests: WeakKeyDictionary[Shape, str] = WeakKeyDictionary()
_unmoved: WeakKeyDictionary[Shape, Shape] = WeakKeyDictionary()
_alike: WeakValueDictionary[str, Shape] = WeakValueDictionary()
_ORIGIN = np.eye(4)
_ORIGIN.flags.writeable = False
_lock = Lock()


def stored_body(shapes: Sequence[Shape], *, on_disk: bool = True) -> Body:
    """Return the body of shapes, built only if this has not been done before.

    Args:
        shapes: At least one, placed in the frame of the thing.
        on_disk: Whether files are read and written, too.
    """
    if all(isinstance(shape, Sphere) for shape in shapes):
        return body_of(shapes)
    key = digest(shapes)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    body = read_file(f"{key}.npz", _read) if on_disk else None
    if body is None:
        body = body_of(shapes)
        if on_disk:
            write_file(f"{key}.npz", _written(body))
    with _lock:
        _kept[key] = body
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return body


def at_origin(shape: Shape) -> Shape:
    """Return a shape at the origin of its frame: the same object wherever one like it stands.

    What is computed for it, here and for coal, is then used again when an obstacle moves.
    """
    own = _unmoved.get(shape)
    if own is None:
        own = unchecked(type(shape), **{**vars(shape), "pose": _ORIGIN})
        key = digest((own,))
        with _lock:
            own = _unmoved[shape] = _alike.setdefault(key, own)
    return own


def digest(shapes: Sequence[Shape]) -> str:
    """Return a text that names the shapes and how bodies are built."""
    parts = [_state_of_sources(), *map(_digest, shapes)]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


@cache
def _state_of_sources() -> str:
    made = hashlib.sha256()
    for name in _BUILDERS:
        made.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return made.hexdigest()


def _digest(shape: Shape) -> str:
    if (known := _digests.get(shape)) is not None:
        return known
    made = hashlib.sha256(type(shape).__name__.encode())
    for name in sorted(vars(shape)):
        value = np.ascontiguousarray(vars(shape)[name])
        made.update(f"{name} {value.shape} {value.dtype}".encode())
        made.update(value.tobytes())
    _digests[shape] = made.hexdigest()
    return _digests[shape]


def _read(file: Path) -> Body | None:
    with np.load(file, allow_pickle=False) as data:
        return _body(dict(data))


def _written(body: Body) -> bytes:
    arrays: dict[str, Any] = {"extremes": body.extremes}
    arrays |= {f"cover{k}": level for k, level in enumerate(body.cover.levels)}
    if body.inner is not None:
        arrays |= {f"inner{k}": level for k, level in enumerate(body.inner.levels)}
    data = io.BytesIO()
    np.savez(data, **arrays)
    return data.getvalue()


def _body(data: dict[str, np.ndarray]) -> Body | None:
    """Return the body of what a file holds, or None if that is no body."""
    trees = []
    for name in ("cover", "inner"):
        levels = []
        while (level := data.get(f"{name}{len(levels)}")) is not None:
            sound = (
                level.dtype == np.float64
                and level.shape == (8 ** len(levels), 4)
                and np.isfinite(level).all()
                and ((level[:, 3] >= 0.0) | (level[:, 3] == EMPTY)).all()
            )
            if not sound:
                return None
            levels.append(level)
        trees.append(SphereTree(tuple(levels)) if levels else None)
    cover, inner = trees
    extremes = data["extremes"]
    sound = extremes.dtype == np.float64 and extremes.shape[1:] == (3,)
    if cover is None or not sound or not 0 < len(extremes) <= EXTREMES:
        return None
    return Body(cover, inner, False, extremes) if np.isfinite(extremes).all() else None
