"""Whatever crosses the binding to the native core: an exception at worst, never a crash."""

import copy
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import core_calls
import numpy as np
import pytest

from generative_ik_ros import _core

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
_STRICT = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
_SANITIZED = "-O0 -fsanitize=undefined -fno-sanitize-recover=all"
_OPTIONS = f"-std=c++20 -fPIC -shared -fvisibility=hidden {_SANITIZED} {_STRICT}"


def survived(module: str, *folders: Path, script: str = "wrong_calls.py", words=()) -> int:
    """Return how many wrong calls a process of its own survived, which must be all."""
    paths = (*folders, _HERE, os.environ.get("PYTHONPATH", ""))
    done = subprocess.run(
        [sys.executable, _HERE / script, module, *words],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
    )
    *_, last = done.stdout.splitlines() or ["nothing was called"]
    assert done.returncode == 0, f"{last}\n{done.stderr}"
    return int(last.split()[0])


@pytest.fixture(scope="module")
def array_checks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a module that takes arrays as the core does, with a sanitizer in it."""
    pybind11 = pytest.importorskip("pybind11", reason="pybind11 is missing: pip install pybind11")
    compiler = shutil.which("c++") or pytest.skip("no C++ compiler: sudo apt install g++")
    folder = tmp_path_factory.mktemp("array_checks")
    target = folder / f"array_checks{sysconfig.get_config_var('EXT_SUFFIX')}"
    includes = (pybind11.get_include(), sysconfig.get_path("include"))
    done = subprocess.run(
        [
            *(compiler, *shlex.split(_OPTIONS), f"-I{_ROOT / 'bindings'}"),
            *(word for folder in includes for word in ("-isystem", folder)),
            *(_HERE / "array_checks.cpp", "-o", target),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


def called_name(function: Callable[..., object]) -> str:
    """Return the name of a function, or of the class of a method."""
    owner = type(getattr(function, "__self__", None))
    if owner in vars(_core).values():
        return owner.__name__
    for kind in filter(lambda one: isinstance(one, type), vars(_core).values()):
        if getattr(vars(kind).get(function.__name__), "__func__", None) is function:
            return kind.__name__
    return function.__name__


def test_every_function_of_the_core_has_a_right_call():
    names = {
        name for name in dir(_core) if callable(getattr(_core, name)) and not name.startswith("_")
    }
    assert set(map(called_name, core_calls.CALLS)) == names


SOLVING = [
    function
    for function in core_calls.CALLS
    if function.__name__ in ("solve_one", "solve_nearest")
]


@pytest.mark.parametrize("function", SOLVING, ids=lambda one: one.__qualname__)
def test_what_pybind11_does_not_check(function: Callable[..., object]):
    """Methods that are called without it have arguments and an object of their own to check."""
    *asked, kind, read, stages, start = core_calls.CALLS[function]
    for wrong in (int, np.ndarray, kind.__name__, None):
        with pytest.raises(TypeError, match="class that objects are made of"):
            function(*asked, wrong, read, stages, start)
    with pytest.raises(TypeError, match="arguments, got"):
        function(*asked, kind, read, stages)
    owner = type(function.__self__)  # pyright: ignore[reportFunctionMemberAccess]
    unmade = getattr(owner.__new__(owner), function.__name__)
    with pytest.raises(TypeError, match="not a problem that was made"):
        unmade(*asked, kind, read, stages, start)


@pytest.mark.parametrize(
    ("part", "field", "wrong", "named"),
    [
        ("recurrence", (1, 2), np.nan, "recurrence"),
        ("box", (0, 1), np.nan, "box"),
        ("counts", 0, 10_000, "targets"),
        ("counts", 0, -1, "targets"),
        ("targets", "nearest", 1000, "targets"),
        ("targets", "queue_end", 1000, "targets"),
        ("targets", "round_ended", 1000, "targets"),
        ("targets", "restarts", -5, "targets"),
    ],
)
def test_what_no_search_has_left_is_named(part: str, field: object, wrong: float, named: str):
    """Of arrays that a search is to go on with; they are all right before one number is not."""
    task, made, given, run, *_ = core_calls.CALLS[_core.search]
    task, memory = copy.deepcopy(task), made.make()
    (_, box, recurrence, _), (*_, counts, targets, _) = task, memory.arrays()
    for _ in range(2):
        targets["closed"] = False
        _core.search(task, memory, given, run, 1, 5.0, None, None)
    assert counts[0] > 0
    targets["closed"] = False
    parts = {"recurrence": recurrence, "box": box, "counts": counts, "targets": targets}
    parts[part][field] = wrong
    with pytest.raises(ValueError, match=f"^{named}: "):
        _core.search(task, memory, given, run, 1, 5.0, None, None)


@pytest.mark.slow
def test_wrong_calls_of_the_core():
    assert survived("core_calls") >= len(core_calls.CALLS)


@pytest.mark.slow
def test_random_calls_of_the_core():
    """With several arguments wrong, records and lists of arrays among them."""
    words = ("--calls", "4000")
    assert survived("core_calls", script="random_calls.py", words=words) == 4000


@pytest.mark.slow
def test_wrong_arrays(array_checks: Path):
    """By the checks that the core's functions use, with undefined behaviour detected."""
    assert survived("array_calls", array_checks) > 150


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "wrong", "message"),
    [
        (0, np.zeros((4, 2)), "rows: expected float64 (any, 3), contiguous and aligned, got "
         "float64 (4, 2)"),
        (0, np.zeros((4, 3), np.float32), "got float32 (4, 3)"),
        (0, np.zeros((3, 4)).T, "rows: expected float64 (any, 3), contiguous"),
        (1, np.zeros((1, 3)), "weights: expected float64 (3)"),
        (2, np.zeros(5), "sums: expected float64 (4), contiguous and aligned, got float64 (5)"),
        (2, np.broadcast_to(0.0, 4), "sums: expected float64 (4), contiguous"),
        (2, np.frombuffer(bytes(32)), "sums: the array is read-only"),
        (3, 5, "first: expected 0 to 4, got 5"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named(
    array_checks: Path, monkeypatch: pytest.MonkeyPatch, place: int, wrong: object, message: str
):
    monkeypatch.syspath_prepend(array_checks)
    import array_calls

    ((function, right),) = array_calls.CALLS.items()
    function(*right)
    np.testing.assert_array_equal(right[2], right[0].sum(1))
    arguments: list[object] = [*right]
    arguments[place] = wrong
    with pytest.raises(ValueError, match=re.escape(message)):
        function(*arguments)
