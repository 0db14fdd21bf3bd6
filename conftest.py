"""Hooks and fixtures for the tests of both packages: markers, skips, files, robots, a shell."""

import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    import numpy as np

    from generative_ik_ros.robot.chain import KinematicChain

_MARKERS = {"test/ros": "ros", "benchmarks/test": "bench"}
_COMMANDS = {
    "CUDA": "make test, on a machine with an NVIDIA GPU",
    "chromium": "sudo apt install chromium",
    "make is not installed": "sudo apt install make",
    "generative_ik_servo": "colcon build --base-paths core servo_node, where rclcpp is",
    "launch|tf2_ros": "colcon test, where ros-jazzy-launch-ros and ros-jazzy-tf2-ros-py are",
    "mujoco|xacro|robot_descriptions": "pip install '.[formats]'",
    "moveit_msgs is installed": "python -m pytest test/ros, where moveit_msgs is not installed",
    "tensorboard is installed": "pip uninstall tensorboard && python -m pytest test/learned",
    "rclpy|ROS 2|interfaces|colcon|diagnostic_msgs": "make setup",
    "pinocchio|pytracik|ssik|scikit-learn|sklearn|pymanopt|robot-data": "pip install ./benchmarks",
    "[tT]orch|safetensors|tensorboard|learned sampler": "pip install '.[learned]'",
    "coal": "pip install '.[collision]'",
    "zarr|dask": "pip install '.[reach]'",
    "viser": "pip install '.[viewer]'",
    "playwright|setuptools|matplotlib|importlib": "pip install '.[test,dev]'",
    "mkdocs": "pip install '.[docs]'",
    "tomllib": "make distclean && make test PYTHON=python3.11",
    "root": "make test, as a user who is not root",
    "network namespaces": "sudo sysctl kernel.unprivileged_userns_clone=1; apt install iproute2",
    "GENERATIVE_IK_ROBOTS|test robots": "GENERATIVE_IK_ROBOTS=DIR make test",
    "git checkout": "make test, in a clone of the repository",
    "nvcc": "make test, with nvcc of CUDA's toolkit in PATH",
    "too busy": "make test, on a machine that does nothing else",
    "forget its peak": "make test, on a kernel with /proc/self/clear_refs",
}
"""What makes a skipped test run, by a pattern of the reason; the first that matches counts."""
_IN_REASON = re.compile(r"(?:: |\()((?:sudo|make|pip|\S*python[\d.]*) [^()]+)\)?$")
"""The command in a reason that names one itself."""
_OURS = re.compile(r"generative_ik|torch_geometric|tmp\w{8}\.yaml$")
"""Names of temporary files made by the package, its tests, its scripts or its dependencies."""


class TemporaryFiles:
    """Points TMPDIR into the base folder of `tmp_path`, and fails a session that leaves files.

    pytest removes the base folder after a session without failures (tmp_path_retention_policy).
    """

    def __init__(self) -> None:
        """Start without findings."""
        self._litter: list[str] = []

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionstart(self, session: pytest.Session) -> Generator[None, object, object]:
        """Redirect temporary files before any test is imported."""
        result = yield
        self._shared = Path(tempfile.gettempdir())
        self._existing = set(os.listdir(self._shared))
        self._base = session.config._tmp_path_factory.getbasetemp()  # pyright: ignore
        folder = self._base / "tmp"
        folder.mkdir()
        self._patch = pytest.MonkeyPatch()
        self._patch.setenv("TMPDIR", str(folder))
        self._patch.setattr(tempfile, "tempdir", str(folder))
        return result

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        """Look for files left behind, once pytest has removed the base folder."""
        if (util := sys.modules.get("multiprocessing.util")) is not None:
            # Its folder for sockets is in ours: removed now, because at exit it would be missing.
            util._run_finalizers()
        result = yield
        self._patch.undo()
        if self._base.parent.name.startswith("pytest-of-"):
            with suppress(OSError):  # other sessions have folders there
                self._base.parent.rmdir()
        new = sorted(set(os.listdir(self._shared)) - self._existing)
        self._litter = [str(self._shared / name) for name in new if _OURS.match(name)]
        if self._litter and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return result

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """List the files left behind."""
        if self._litter:
            terminalreporter.section("temporary files left behind", red=True)
            terminalreporter.line("\n".join(self._litter))


@pytest.fixture
def rng() -> "np.random.Generator":
    """Return a generator of the same numbers for each test."""
    import numpy as np

    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def panda() -> "KinematicChain":
    """Return the Panda."""
    from generative_ik_ros.robot.known import load_robot

    return load_robot("panda")


@pytest.fixture(scope="session")
def ur10() -> "KinematicChain":
    """Return the UR10."""
    from generative_ik_ros.robot.known import load_robot

    return load_robot("ur10")


class Reply(NamedTuple):
    """Exit code and both streams of a command."""

    code: int
    out: str
    err: str


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Callable[..., Reply]:
    """Run `generative-ik WORDS` as the installed command does, in this process."""
    from generative_ik_ros.cli.main import main

    def run(*words: object) -> Reply:
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Reply(code, *capsys.readouterr())

    return run


@pytest.fixture
def refused(shell: Callable[..., Reply]) -> Callable[..., Reply]:
    """Run `generative-ik WORDS`, which ends with 2 and a line of its own that says something."""

    def check(*words: object, says: str = "") -> Reply:
        reply = shell(*words)
        assert reply.code == 2 and reply.out == "", reply.err
        assert reply.err.startswith("generative-ik: ") and reply.err.count("\n") == 1, reply.err
        assert says in reply.err, reply.err
        return reply

    return check


@pytest.fixture
def own_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let no user's weights count but those that the test writes."""
    monkeypatch.setenv("GENERATIVE_IK_WEIGHTS", str(tmp_path / "user_weights"))


def pytest_configure(config: pytest.Config) -> None:
    """Install the hooks."""
    config.pluginmanager.register(TemporaryFiles())


def command_for(reason: str) -> str | None:
    """Return what makes a test run that was skipped for a reason; None where that is unknown."""
    if named := _IN_REASON.search(reason):
        return named[1]
    return next((todo for pattern, todo in _COMMANDS.items() if re.search(pattern, reason)), None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of a folder."""
    for item in items:
        for folder, marker in _MARKERS.items():
            if item.path.is_relative_to(config.rootpath / folder):
                item.add_marker(marker)


def pytest_terminal_summary(
    terminalreporter: "pytest.TerminalReporter", config: pytest.Config
) -> None:
    """List the skipped tests by reason, with what would make them run."""
    places: dict[str, list[str]] = defaultdict(list)
    for report in terminalreporter.stats.get("skipped", ()):
        path, _, text = report.longrepr
        places[text.removeprefix("Skipped: ")].append(os.path.relpath(path, config.rootpath))
    if not places:
        return
    terminalreporter.section("skipped, and what would make it run")
    for reason, paths in sorted(places.items()):
        terminalreporter.line(f"{len(paths)} in {', '.join(sorted(set(paths)))}: {reason}")
        terminalreporter.line(f"    {command_for(reason) or 'unknown'}")
