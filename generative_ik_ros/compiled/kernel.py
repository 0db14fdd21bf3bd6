"""Decorators for kernels, which numba compiles once and keeps on disk, and for their parts."""

import gc
import hashlib
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import caching

from generative_ik_ros.compiled.parts import compile_part

_PACKAGE = Path(__file__).resolve().parent.parent
_PARTS = ("compiled", "learned", "refine", "robot", "samplers", "search", "select")
"""Folders of the package with sources that kernels are put together from."""


def kernel(**options: Any) -> Callable[[Callable], Any]:  # noqa: ANN401 (numba's options)
    """Compile a function without the GIL and keep it in numba's cache.

    numba takes a compiled function from its cache when the function's own file has not changed,
    and does not look at the files of the functions that were compiled into it. After an update of
    the package in place that could be an old kernel with new callers. So all of these sources are
    part of the key here, and for a function of another package the files in its folder.

    Args:
        options: Further options of numba's `njit`.
    """

    def compile_it(function: Callable) -> Any:  # noqa: ANN401 (a numba dispatcher)
        dispatcher = njit(nogil=True, cache=True, **options)(function)
        if isinstance(getattr(dispatcher, "_cache", None), caching.FunctionCache):
            dispatcher._cache = _Cache(dispatcher.py_func)  # noqa: SLF001 # pyright: ignore
            own = dispatcher._compiler  # noqa: SLF001 # pyright: ignore
            own.compile = partial(_without_collection, own.compile)
        return dispatcher

    return compile_it


def _without_collection(compile_now: Callable, *arguments: object) -> object:
    """Compile without looking for garbage in between, of which there is little; it saves 15 %."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return compile_now(*arguments)
    finally:
        if enabled:
            gc.enable()


def inlined(function: Callable) -> Any:  # noqa: ANN401 (a numba dispatcher)
    """Compile a function into the kernels that call it, without counting references to arrays.

    It allocates no arrays. Arrays that it returns are views of its arguments, which its caller
    must have borrowed (see `borrow`) if it counts references itself.
    """
    return compile_part(function)


class _Cache(caching.FunctionCache):
    """numba's cache with the state of the sources in its keys."""

    def _index_key(self, sig, codegen):  # noqa: ANN001, ANN202 # pyright: ignore
        folder = Path(self._py_func.__code__.co_filename).resolve().parent
        outside = () if _PACKAGE in folder.parents else (folder,)
        return (*super()._index_key(sig, codegen), _state_of_sources(outside))


@lru_cache
def _state_of_sources(outside: tuple[Path, ...]) -> str:
    """Return a digest that changes with any source in the package's parts or in other folders."""
    folders = (*(_PACKAGE / part for part in _PARTS), *outside)
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    states = (f"{file.name} {file.stat().st_mtime_ns} {file.stat().st_size}" for file in files)
    return hashlib.sha256("\n".join(states).encode()).hexdigest()
