"""Kernels run wherever code can be read: no folder to write to, no room, damaged caches."""

import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


def not_as_root():
    """Words before a command that take root's right to write anywhere away."""
    if os.geteuid() != 0:
        return []
    words = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]
    if shutil.which("setpriv") is None or subprocess.run([*words, "true"]).returncode:
        pytest.skip("root may write anywhere, and there is no setpriv")
    return words


class Machine:
    """A folder with a module of one kernel, and a home folder that can be locked."""

    def __init__(self, folder):
        self.code, self.home = folder / "code", folder / "home"
        self.code.mkdir()
        self.home.mkdir()
        (self.code / "kernels.py").write_text(_KERNEL)
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


def said_once(errors):
    assert errors.count("GenerativeIKWarning") == 1 and errors.count("NUMBA_CACHE_DIR") == 1
    return re.search(r"every start compiles anew: (.*) \('", errors)[1]


def test_usual_machine(machine):
    assert machine.run() == (NOTHING_KEPT, "")
    assert machine.run() == (ALL_KEPT, "")


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


def test_the_cache_of_another_processor_is_not_used(machine):
    other = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    assert machine.run(**other) == (NOTHING_KEPT, "")
    assert machine.run() == (NOTHING_KEPT, "")
    assert machine.run() == machine.run(**other) == (ALL_KEPT, "")
    assert len(machine.files(".nbc")) == 4


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


def test_an_index_that_names_other_data(machine):
    """What two processes can leave that save the index and the data in turns."""
    machine.run()
    one, other = machine.files(".nbc")
    code = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(code)
    assert machine.run() == (NOTHING_KEPT, "")
    assert machine.run() == (ALL_KEPT, "")


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("left", ["half", "garbage", "folder", "gone"])
def test_damaged_files(ending, left, machine):
    machine.run()
    for file in machine.files(ending):
        content = file.read_bytes()
        file.unlink()
        if left == "folder":
            (file / "inside").mkdir(parents=True)
        elif left != "gone":
            file.write_bytes(content[: len(content) // 2] if left == "half" else b"no pickle")
    output, errors = machine.run()
    assert output == NOTHING_KEPT
    if left == "folder":
        said_once(errors)
    else:
        assert errors == "" and machine.run() == (ALL_KEPT, "")


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
def test_modules_that_are_gone(ending, machine):
    """The pickles name modules and classes of a numba that was changed, or of another package."""
    machine.run()
    for file in machine.files(ending):
        content = file.read_bytes()
        moved = content.replace(b"numba.core.types", b"numba.gone.types")
        moved = moved.replace(b"_rebuild_function", b"_rebuild_fonction")
        assert moved != content
        file.write_bytes(moved)
    assert machine.run() == (NOTHING_KEPT, "")
    assert machine.run() == (ALL_KEPT, "")


@pytest.mark.slow
def test_the_shell_on_a_read_only_installation_without_a_home(machine, tmp_path):
    as_user = not_as_root()
    package = Path(generative_ik_ros.__file__).parent
    unwanted = shutil.ignore_patterns("__pycache__", "weights", "*.so")
    shutil.copytree(package, machine.code / package.name, ignore=unwanted)
    shutil.copytree(package.parent / "config", machine.code / "config")
    machine.lock(*filter(Path.is_dir, tmp_path.rglob("*")))
    words = ["solve", "--robot", "planar_3r", "--random-seed", "1", "-n", "2"]
    program = f"from generative_ik_ros.cli.main import main; raise SystemExit(main({words}))"
    output, errors = machine.run(program, before=as_user, HOME=str(machine.home / "absent"))
    assert "SOLVED: 2 distinct solutions" in output
    assert errors.startswith("generative-ik: warning: compiled code cannot be kept")
    assert errors.count("\n") == 1
