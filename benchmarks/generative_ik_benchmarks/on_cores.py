"""A function and a number of cores come in, what it returns in a process on so many goes out."""

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

    The number of threads follows the cores a process may run on when it first needs them, so that
    it takes a process to change it. Function, arguments and result must be picklable.

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
