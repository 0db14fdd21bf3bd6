"""Calls native functions with several arguments made wrong at random, in a process of its own.

    python random_calls.py MODULE --calls 1000 --seed 0

MODULE has CALLS, as for `wrong_calls.py`, and may have MORE_CALLS, further pairs of a function and
arguments. The rules are the same as there: a call may succeed, or raise what misuse raises. None
may take longer than a few seconds. What is tried depends on the seed and the call's number alone,
and the last call that was printed is the one that failed: `--first N --calls 1` makes it again.
"""

import argparse
import faulthandler
import os
import resource
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from wrong_calls import MEMORY, MISUSE, NUMBERS, OTHERS, fresh, shorten_messages

LIMIT = 20.0
"""Time of a call after which it counts as one that never ends [s]."""
_FLOATS = (np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0, -0.0, 1.0, -1.0, 7.0, 1e-9, 1e15)


def wild(rng: np.random.Generator, dtype: np.dtype, count: int) -> np.ndarray:
    """Return numbers of a type that nobody hopes for."""
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    if dtype.kind == "f":
        noise = rng.normal(size=count) * 10.0 ** rng.integers(-3, 7, count)
        return np.where(rng.random(count) < 0.5, rng.choice(_FLOATS, count), noise).astype(dtype)
    most, small = np.iinfo(dtype), rng.integers(-3, 20, count)
    few = rng.choice([most.min, most.max, most.max // 2, most.min // 2 + 1], count)
    return np.where(rng.random(count) < 0.7, small, few).astype(dtype)


def with_wild_numbers(rng: np.random.Generator, right: np.ndarray) -> np.ndarray:
    """Return an array some of whose numbers are others."""
    changed = right.copy()
    if not changed.size:
        return changed
    some = rng.integers(0, changed.size, 1 if rng.random() < 0.5 else changed.size)
    if changed.dtype.names is None:
        changed.flat[some] = wild(rng, changed.dtype, len(some))
        return changed
    for name in rng.choice(changed.dtype.names, rng.integers(1, 4)):
        field = changed[name]
        field[some] = wild(rng, field.dtype, len(some))
    return changed


def reshaped(rng: np.random.Generator, right: np.ndarray) -> np.ndarray:
    """Return an array of another shape, type or layout."""
    axis = int(rng.integers(0, max(right.ndim, 1)))
    shape = list(right.shape)
    ways: list[Callable[[], np.ndarray]] = [
        lambda: right[None].copy(),
        lambda: right.ravel().copy(),
        lambda: right.copy().T,
        lambda: np.zeros(right.shape, rng.choice(["f4", "f8", "i4", "i8", "?", "u8"])),
    ]
    if right.ndim:
        wide = [*shape[:axis], int(rng.choice([0, 1, 2, 5, 2**31, 2**40])), *shape[axis + 1 :]]
        ways += [
            lambda: np.repeat(right, int(rng.integers(0, 4)), axis),
            lambda: np.take(right, rng.integers(0, shape[axis], rng.integers(0, 9)), axis)
            if shape[axis] else right,
            lambda: np.repeat(right, 2, -1)[..., ::2],
            lambda: np.empty([n if n < 2**31 or 0 in wide else 3 for n in wide], right.dtype),
        ]  # fmt: skip
    changed = ways[rng.integers(len(ways))]()
    if rng.random() < 0.1:
        changed.flags.writeable = False
    return changed


def changed(rng: np.random.Generator, right: object) -> Any:
    """Return something else than the right argument."""
    if isinstance(right, tuple) and right and rng.random() < 0.9:
        place = int(rng.integers(len(right)))
        return (*right[:place], changed(rng, right[place]), *right[place + 1 :])
    if isinstance(right, np.ndarray) and rng.random() < 0.97:
        if right.dtype.names is None and rng.random() < 0.3:
            return reshaped(rng, right)
        return with_wild_numbers(rng, right)
    if hasattr(right, "arrays") and rng.random() < 0.9:
        parts: Any = right.arrays()  # that are part of it
        part = parts[rng.integers(len(parts))]
        part[...] = with_wild_numbers(rng, part)
        return right
    if rng.random() < 0.1:
        return OTHERS[rng.integers(len(OTHERS))]
    if isinstance(right, float):
        return float(wild(rng, np.dtype(float), 1)[0])
    return NUMBERS[rng.integers(len(NUMBERS))] if rng.random() < 0.3 else int(rng.integers(-2, 30))


def random_call(rng: np.random.Generator, arguments: tuple) -> tuple[list[int], list]:
    """Return which arguments are wrong, and all of a call."""
    call = fresh(arguments)
    places = rng.choice(len(call), min(len(call), int(rng.integers(1, 4))), replace=False).tolist()
    for place in places:
        try:
            call[place] = changed(rng, call[place])
        except (ValueError, TypeError, MemoryError, OverflowError):
            continue  # numpy has no such array
    return places, call


def main() -> None:
    """Make the calls that the shell asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--calls", type=int, default=1000)
    options = parser.parse_args()
    if "ASAN_OPTIONS" not in os.environ:  # its shadow memory is larger
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    shorten_messages()
    module = import_module(options.module)
    calls = [*module.CALLS.items(), *getattr(module, "MORE_CALLS", ())]
    functions = [call for call in calls if call[1]]
    longest = 0.0
    for number in range(options.first, options.first + options.calls):
        rng = np.random.default_rng([options.seed, number])
        function, arguments = functions[rng.integers(len(functions))]
        places, call = random_call(rng, arguments)
        print(f"call {number}: {function.__name__}, arguments {places}", flush=True)
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        begin = time.perf_counter()
        try:
            function(*call)
        except MISUSE:
            pass
        longest = max(longest, time.perf_counter() - begin)
        faulthandler.cancel_dump_traceback_later()
    print(f"{options.calls} random calls were survived, the longest took {longest:.2f} s")


if __name__ == "__main__":
    main()
