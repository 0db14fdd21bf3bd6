"""A function call in a process that may use only some of the cores."""

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

Result = TypeVar("Result")
_Arguments = ParamSpec("_Arguments")


def on_cores(
    cores: int,
    function: Callable[_Arguments, Result],
    /,
    *args: _Arguments.args,
    **kwargs: _Arguments.kwargs,
) -> Result:
    """Call a function in a fresh process that may use only so many of this one's cores.

    A process decides on its number of threads when it first needs them, so another number takes
    another process. Function, arguments and result must be picklable.

    Args:
        cores: How many, at most as many as this process may use.
        function: What to call.
        args: What with.
        kwargs: Likewise.
    """
    chosen = sorted(os.sched_getaffinity(0))[:cores]
    context = get_context("spawn")
    with ProcessPoolExecutor(1, context, os.sched_setaffinity, (0, chosen)) as pool:
        return pool.submit(function, *args, **kwargs).result()
