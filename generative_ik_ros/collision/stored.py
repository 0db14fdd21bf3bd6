"""Bodies that were built before, in memory and on disk."""

import hashlib
import io
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.cache_files import read_file, write_file
from generative_ik_ros.collision.packed_shapes import built_bodies
from generative_ik_ros.collision.shapes import Shape, Sphere, unchecked
from generative_ik_ros.collision.sphere_tree import CHILDREN, EMPTY, ROOT, SphereTree
from generative_ik_ros.errors import InvalidArgumentError

KEPT = 512
"""Bodies kept in memory."""
MOST_EXTREMES = 64
"""More points far from each other are no body's."""
_SPHERES = "spheres"

_kept: OrderedDict[str, Body] = OrderedDict()
_digests: WeakKeyDictionary[Shape, str] = WeakKeyDictionary()
_unmoved: WeakKeyDictionary[Shape, Shape] = WeakKeyDictionary()
_alike: WeakValueDictionary[str, Shape] = WeakValueDictionary()
_ORIGIN = np.eye(4)
_ORIGIN.flags.writeable = False
_lock = Lock()


def stored_bodies(things: Sequence[Sequence[Shape]], *, on_disk: bool = True) -> list[Body]:
    """Return the bodies of shapes, built only if this has not been done before.

    Args:
        things: At least one shape of each, placed in the frame of the thing.
        on_disk: Whether files are read and written, too.

    Raises:
        InvalidArgumentError: A thing has no shapes.
    """
    if not all(things):
        raise InvalidArgumentError("a body needs at least one shape")
    keys = [_SPHERES if _only_spheres(shapes) else digest(shapes) for shapes in things]
    found = {key: body for key in set(keys) - {_SPHERES} if (body := _known(key, on_disk))}
    # Bodies of spheres take no longer to build than to find.
    missing = [k for k, key in enumerate(keys) if key not in found]
    first = {keys[k]: k for k in reversed(missing) if keys[k] != _SPHERES}
    built = [k for k in missing if first.get(keys[k], k) == k]
    bodies: dict[int, Body] = {}
    made = built_bodies([things[k] for k in built]) if built else []
    for k, body in zip(built, made, strict=True):
        if keys[k] == _SPHERES:
            bodies[k] = body
            continue
        found[keys[k]] = body
        if on_disk:
            write_file(f"{keys[k]}.npz", _written(body))
    with _lock:
        for key, body in found.items():
            _kept[key] = body
            _kept.move_to_end(key)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return [bodies[k] if key == _SPHERES else found[key] for k, key in enumerate(keys)]


def _only_spheres(shapes: Sequence[Shape]) -> bool:
    return all(isinstance(shape, Sphere) for shape in shapes)


def _known(key: str, on_disk: bool) -> Body | None:
    """Return a body that was built before, if there is one."""
    with _lock:
        if key in _kept:
            return _kept[key]
    return read_file(f"{key}.npz", _read) if on_disk else None


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
    parts = [str(_core.BODY_REVISION), *map(_digest, shapes)]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


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
    """Return the body in a file, or None if it holds something else."""
    with np.load(file, allow_pickle=False) as data:
        cover, inner, extremes = (data.get(name) for name in ("cover", "inner", "extremes"))
    if cover is None or not _is_tree(cover) or (inner is not None and not _is_tree(inner)):
        return None
    if (
        extremes is None
        or extremes.dtype != np.float64
        or extremes.shape[1:] != (3,)
        or not 0 < len(extremes) <= MOST_EXTREMES
        or not np.isfinite(extremes).all()
    ):
        return None
    return Body(SphereTree(cover), None if inner is None else SphereTree(inner), False, extremes)


def _written(body: Body) -> bytes:
    arrays: dict[str, Any] = {"extremes": body.extremes, "cover": body.cover.packed}
    if body.inner is not None:
        arrays["inner"] = body.inner.packed
    data = io.BytesIO()
    np.savez(data, **arrays)
    return data.getvalue()


def _is_tree(packed: np.ndarray) -> bool:
    """Say whether an array is a packed tree."""
    groups = 1
    while groups < len(packed):
        groups = CHILDREN * (groups - 1) + 2
    return (
        packed.dtype == np.float64
        and packed.shape == (groups, 4, CHILDREN)
        and bool(np.isfinite(packed).all())
        and bool(((packed[:, 3] >= 0.0) | (packed[:, 3] == EMPTY)).all())
        and bool((packed[0, 3, :ROOT] == EMPTY).all())
    )
