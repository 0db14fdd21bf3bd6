"""Kernels run wherever code can be read: no folder to write to, no room, damaged caches."""

import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from unprivileged import not_as_root

import generative_ik_ros

_KERNEL = """
from generative_ik_ros.compiled.kernel import kernel

@kernel()
def double(x):
    return x + x
"""
_USE = """
from kernels import double
print(double(21), double(1.25), "hits", sum(double.stats.cache_hits.values()))
"""
NOTHING_KEPT, ALL_KEPT = "42 2.5 hits 0", "42 2.5 hits 2"


class Machine:
    """A folder with a module of one kernel, and a home folder that can be locked."""

    def __init__(self, folder, like=None):
        """Begin with nothing compiled, or with all that another machine has."""
        self.code, self.home = folder / "code", folder / "home"
        self.home.mkdir()
        if like is None:
            self.code.mkdir()
            (self.code / "kernels.py").write_text(_KERNEL)
        else:
            shutil.copytree(like.code, self.code)
        self.cache = self.code / "__pycache__"

    def run(self, program=_USE, *, before=(), limit=None, **environment):
        """Output and errors of a program beside the module."""
        words = [*before, sys.executable, "-c", program]
        package = Path(generative_ik_ros.__file__).parents[1]
        kept = {name: value for name, value in os.environ.items() if "CACHE" not in name}
        paths = f"{self.code}{os.pathsep}{package}"
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, cwd=self.code,
            env=kept | {"PYTHONPATH": paths, "HOME": str(self.home), **environment},
            preexec_fn=limit and (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit,) * 2)),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), done.stderr

    def lock(self, *folders, mode=0o555):
        """Take away the right to write, or set another mode."""
        for folder in folders:
            folder.chmod(mode)

    def files(self, ending):
        return sorted(self.cache.glob(f"kernels.*{ending}"))


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path)
    yield machine
    machine.lock(*filter(Path.is_dir, tmp_path.rglob("*")), mode=0o755)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    machine = Machine(tmp_path_factory.mktemp("filled"))
    assert machine.run() == (NOTHING_KEPT, "")
    return machine


@pytest.fixture
def another(filled, tmp_path):
    """A machine that has everything compiled."""
    return Machine(tmp_path, filled)


def said_once(errors):
    assert errors.count("GenerativeIKWarning") == 1 and errors.count("NUMBA_CACHE_DIR") == 1
    return re.search(r"every start compiles anew: (.*) \('", errors)[1]


def test_usual_machine(another):
    assert another.run() == (ALL_KEPT, "")


def test_no_folder_can_be_written(machine):
    as_user = not_as_root()
    machine.lock(machine.code, machine.home)
    for home in (machine.home, machine.home / "absent"):
        output, errors = machine.run(before=as_user, HOME=str(home))
        assert output == NOTHING_KEPT and said_once(errors) == "no folder for it can be written"


def test_the_home_folder_serves_a_read_only_installation(machine):
    as_user = not_as_root()
    machine.lock(machine.code)
    assert machine.run(before=as_user) == (NOTHING_KEPT, "")
    assert machine.run(before=as_user) == (ALL_KEPT, "")


@pytest.mark.parametrize("place", ["beside the sources", "NUMBA_CACHE_DIR"])
def test_a_filled_cache_serves_those_who_may_not_write(place, machine, tmp_path):
    as_user = not_as_root()
    folder = {}
    if place == "NUMBA_CACHE_DIR":
        (tmp_path / "cache").mkdir()
        folder = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert machine.run(**folder) == (NOTHING_KEPT, "")
    machine.lock(*filter(Path.is_dir, tmp_path.rglob("*")))
    assert machine.run(before=as_user, **folder) == (ALL_KEPT, "")


def test_full_disk(machine):
    output, errors = machine.run(limit=1000)
    assert output == NOTHING_KEPT and said_once(errors) == "File too large"
    assert machine.run() == (NOTHING_KEPT, "")
    assert machine.run() == (ALL_KEPT, "")
    assert not list(machine.cache.glob("*.tmp.*"))


def test_the_cache_of_another_processor_is_not_used(another):
    other = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    assert another.run(**other) == (NOTHING_KEPT, "")
    assert another.run() == another.run(**other) == (ALL_KEPT, "")
    assert len(another.files(".nbc")) == 4


def test_processes_that_fill_one_cache_at_once(machine):
    package = Path(generative_ik_ros.__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": f"{machine.code}{os.pathsep}{package}"}
    words = [sys.executable, "-c", _USE]
    together = [
        subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in together:
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0 and output.startswith("42 2.5 ")
    machine.run()
    assert machine.run() == (ALL_KEPT, "")


def test_an_index_that_names_other_data(another):
    """What two processes can leave that save the index and the data in turns."""
    one, other = another.files(".nbc")
    code = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(code)
    assert another.run() == (NOTHING_KEPT, "")
    assert another.run() == (ALL_KEPT, "")


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("left", ["half", "garbage", "folder", "gone"])
def test_damaged_files(ending, left, another):
    for file in another.files(ending):
        content = file.read_bytes()
        file.unlink()
        if left == "folder":
            (file / "inside").mkdir(parents=True)
        elif left != "gone":
            file.write_bytes(content[: len(content) // 2] if left == "half" else b"no pickle")
    output, errors = another.run()
    assert output == NOTHING_KEPT
    if left == "folder":
        said_once(errors)
    else:
        assert errors == "" and another.run() == (ALL_KEPT, "")


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
def test_modules_that_are_gone(ending, another):
    """The pickles name modules and classes of a numba that was changed, or of another package."""
    for file in another.files(ending):
        content = file.read_bytes()
        moved = content.replace(b"numba.core.types", b"numba.gone.types")
        moved = moved.replace(b"_rebuild_function", b"_rebuild_fonction")
        assert moved != content
        file.write_bytes(moved)
    assert another.run() == (NOTHING_KEPT, "")
    assert another.run() == (ALL_KEPT, "")
