"""Decorators for kernels, which numba compiles once and keeps on disk, and for their parts."""

import gc
import logging
import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from numba import njit
from numba.core import caching

from generative_ik_ros.compiled.cache import KernelCache
from generative_ik_ros.compiled.parts import compile_part
from generative_ik_ros.compiled.solving_time import preparing

_LOG = logging.getLogger("generative_ik_ros")
_PAUSE = 5.0
"""Time without compiling after which the log says again that it begins [s]."""
_compiled_at = -math.inf
"""When the last one was compiled [s]; inf while one is."""


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
            of_package = function.__module__.startswith("generative_ik_ros.")
            own.compile = partial(_compile, own.compile, of_package)
            # The compiler, or the cache instead of it.
            dispatcher.compile = preparing()(dispatcher.compile)
        return dispatcher

    return compile_it


def _compile(compile_now: Callable, of_package: bool, *arguments: object) -> object:  # noqa: FBT001
    """Compile, and say so: the package's kernels take from seconds to minutes together."""
    global _compiled_at
    if of_package and time.monotonic() - _compiled_at >= _PAUSE:
        # A warning, for it appears on stderr where an application configures no logging.
        _LOG.warning(
            "generative_ik_ros: compiling kernels, once on this machine for each kind of call; "
            "this takes from 10 s to 2 min"
        )
    nested, _compiled_at = _compiled_at == math.inf, math.inf
    enabled = gc.isenabled()
    gc.disable()  # there is little garbage; not to look for it saves 15 %
    try:
        return compile_now(*arguments)
    finally:
        _compiled_at = math.inf if nested else time.monotonic()
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
