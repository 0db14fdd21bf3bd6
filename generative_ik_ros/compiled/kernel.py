"""Decorators for kernels, which numba compiles once and keeps on disk, and for their parts."""

import gc
from collections.abc import Callable
from functools import partial
from typing import Any

from numba import njit
from numba.core import caching

from generative_ik_ros.compiled.cache import KernelCache
from generative_ik_ros.compiled.parts import compile_part


def kernel(**options: Any) -> Callable[[Callable], Any]:  # noqa: ANN401 (numba's options)
    """Compile a function without the GIL and keep it in a `KernelCache`.

    Args:
        options: Further options of numba's `njit`.
    """

    def compile_it(function: Callable) -> Any:  # noqa: ANN401 (a numba dispatcher)
        dispatcher = njit(nogil=True, **options)(function)
        if isinstance(getattr(dispatcher, "_cache", None), caching.NullCache):
            dispatcher._cache = KernelCache(dispatcher.py_func)  # noqa: SLF001 # pyright: ignore
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


def called(function: Callable) -> Any:  # noqa: ANN401 (a numba dispatcher)
    """Compile a function that kernels call, which may allocate arrays.

    It is for code that is too large to be contained in a kernel several times. Python cannot call
    it: the wrapper for that would take longer to compile than the function.
    """
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return njit(error_model="numpy", **options)(function)
