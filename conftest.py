"""Keeps the temporary files of a test session, and of the processes it starts, in one folder."""

import os
import re
import tempfile
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

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


def pytest_configure(config: pytest.Config) -> None:
    """Install the hooks."""
    config.pluginmanager.register(TemporaryFiles())
