"""Calls native functions with one argument after the other made wrong, in a process of its own.

    python wrong_calls.py MODULE

MODULE has CALLS: the arguments of a right call of each function. A wrong one may
succeed, or raise what misuse raises; the last line is printed only if nothing else happens. The
call that a process crashed in is the last one printed.
"""

import resource
import sys
from collections.abc import Callable, Iterator
from importlib import import_module

import numpy as np

MISUSE = (TypeError, ValueError, OverflowError, MemoryError)
MEMORY = 4 << 30
"""Address space: what a wrong count asks for is not to fill the machine [byte]."""
NUMBERS = (-1, 0, 1, 2**31, 2**40, 2**63 - 1, 2**63, -(2**63), 10**30)
OTHERS = (None, True, float("nan"), "text", (), [], object())


def wrong_arrays(right: np.ndarray) -> Iterator[tuple[str, object]]:
    """Yield arrays that are not what a right one is, or have values that nobody hopes for."""
    if right.dtype.kind == "f":
        for value in (np.nan, np.inf, -np.inf, 1e308, 5e-324, 0.0):
            yield f"all {value}", np.full_like(right, value)
            one = right.copy()
            one.flat[:1] = value
            yield f"{value} at first", one
    for dtype in ("f4", "f8", ">f8", "i8", "c16", "?", "O", "U3"):
        yield f"of {dtype}", np.zeros(right.shape, dtype)
    yield "empty", right[:0].copy()
    for axis in range(right.ndim):
        yield f"longer along {axis}", np.repeat(right, 2, axis)
        yield f"nothing along {axis}", np.zeros_like(np.take(right, [], axis))
        yield f"backwards along {axis}", np.flip(right.copy(), axis)
        yield (
            f"stepped along {axis}",
            np.repeat(right, 2, axis).take(range(right.shape[axis]), axis),
        )
    yield "a row", right[:1].copy()
    yield "a scalar", right.dtype.type(0)
    yield "no dimensions", np.zeros((), right.dtype)
    yield "one more dimension", right[None].copy()
    yield "flat", right.ravel().copy()
    yield "Fortran order", np.asfortranarray(right.copy())
    yield "transposed", right.copy().T
    yield "strided", np.repeat(right, 2, -1)[..., ::2]
    yield "of one number", np.broadcast_to(right.flat[:1].reshape((1,) * right.ndim), right.shape)
    yield "huge, of one number", np.broadcast_to(right[:1], (2**40, *right.shape[1:]))
    odd = np.zeros(right.nbytes + 1, "u1")[1:].view(right.dtype).reshape(right.shape)
    yield "not aligned", odd
    fixed = right.copy()
    fixed.flags.writeable = False
    yield "read-only", fixed
    yield "masked", np.ma.masked_array(right.copy(), mask=np.ones(right.shape, bool))
    yield "a list", right.tolist()


def wrong(right: object) -> Iterator[tuple[str, object]]:
    """Yield a description and a value for an argument that is right otherwise."""
    if isinstance(right, np.ndarray):
        yield from wrong_arrays(right)
    if isinstance(right, tuple):
        for place, part in enumerate(right):
            for what, value in wrong(part):
                yield f"part {place}: {what}", (*right[:place], value, *right[place + 1 :])
            yield f"only {place} parts", right[:place]
    yield from ((f"{number:,}", number) for number in NUMBERS)
    yield from ((repr(other), other) for other in OTHERS)


class Made:
    """An argument that calls write to, made anew for each of them."""

    def __init__(self, make: Callable[[], object]):
        """Remember how."""
        self.make = make


def fresh(arguments: tuple) -> list:
    """Return arguments of which nothing has been written to."""
    return list(map(_copied, arguments))


def _copied(argument: object) -> object:
    if isinstance(argument, tuple):
        return tuple(map(_copied, argument))
    if isinstance(argument, Made):
        return argument.make()
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def wrong_calls(arguments: tuple) -> Iterator[tuple[str, list]]:
    """Yield a description and the arguments of each wrong call."""
    for place, right in enumerate(arguments):
        for what, value in wrong(right):
            changed = fresh(arguments)
            changed[place] = value
            yield f"argument {place}: {what}", changed
        yield f"only {place} arguments", fresh(arguments)[:place]
    yield "one argument more", [*fresh(arguments), 0]


def shorten_messages() -> None:
    """Have arrays written in short: pybind11 says which arguments it was called with."""
    np.set_printoptions(threshold=0, edgeitems=1)


def main(name: str) -> None:
    """Make all wrong calls of a module's CALLS."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    shorten_messages()
    count = 0
    for function, arguments in import_module(name).CALLS.items():
        function(*fresh(arguments))
        for what, changed in wrong_calls(arguments):
            print(f"{function.__name__}, {what}", flush=True)
            try:
                function(*changed)
            except MISUSE:
                pass
            count += 1
        function(*fresh(arguments))
    print(f"{count} wrong calls were survived")


if __name__ == "__main__":
    # By the name under which CALLS know `Made`.
    import_module("wrong_calls").main(sys.argv[1])
