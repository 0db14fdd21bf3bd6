"""Bodies that were built before, in memory and on disk."""

import hashlib
import os
import tempfile
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.build import EXTREMES, body_of
from generative_ik_ros.collision.cover import DEPTH
from generative_ik_ros.collision.shapes import Shape, Sphere
from generative_ik_ros.collision.sphere_tree import EMPTY, SphereTree

FORMAT = 1
"""To be raised when bodies are built or stored in another way."""
KEPT = 512
"""Bodies kept in memory."""

_kept: OrderedDict[str, Body] = OrderedDict()
_digests: WeakKeyDictionary[Shape, str] = WeakKeyDictionary()
_lock = Lock()


def stored_body(shapes: Sequence[Shape]) -> Body:
    """Return the body of shapes, built only if this has not been done before."""
    if all(isinstance(shape, Sphere) for shape in shapes):
        return body_of(shapes)
    key = digest(shapes)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    body = _read(key)
    if body is None:
        body = body_of(shapes)
        _write(key, body)
    with _lock:
        _kept[key] = body
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return body


def digest(shapes: Sequence[Shape]) -> str:
    """Return a text that names the shapes and how bodies are built."""
    parts = [str(FORMAT), str(DEPTH), *map(_digest, shapes)]
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


def _folders() -> Iterator[Path]:
    """Yield where bodies may be kept: beside compiled code first."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(chosen, "generative_ik_bodies")
    yield Path(__file__).parent / "__pycache__" / "bodies"
    with suppress(RuntimeError):  # no home
        home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
        yield Path(home, "generative_ik_ros", "bodies")


def _read(key: str) -> Body | None:
    for folder in _folders():
        try:
            with np.load(folder / f"{key}.npz", allow_pickle=False) as data:
                if (body := _body(dict(data))) is not None:
                    return body
        except Exception:  # noqa: S112 (missing, cut off, damaged, not readable)
            continue
    return None


def _write(key: str, body: Body) -> None:
    arrays = {f"cover{k}": level for k, level in enumerate(body.cover.levels)}
    if body.inner is not None:
        arrays |= {f"inner{k}": level for k, level in enumerate(body.inner.levels)}
    for folder in _folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    np.savez(file, extremes=body.extremes, **arrays)
                # Others see the whole file or none.
                os.replace(name, folder / f"{key}.npz")
                return
            except BaseException:
                os.unlink(name)
                raise
        except OSError:
            continue


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
