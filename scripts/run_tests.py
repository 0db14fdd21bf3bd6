"""Every check of types and every test, on two cores at once.

Tests that start nodes or look at the clock run as in any call of pytest. Beside them, at low
priority, run the checks of types and then the tests that only compute or compile. What these print
is in build/tests_beside.log, and follows at the end. Run by `make test`, after ruff.
"""

import argparse
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

CHECKOUT = Path(__file__).resolve().parents[1]
BUILD = CHECKOUT / "build"
FRONT = ("test", "benchmarks/test/test_viewer_frames.py")
"""Folders and files of tests that start nodes or look at the clock."""
BESIDE = (
    # Compile into folders of their own, for minutes.
    "test/cli/test_warm_up.py",
    "test/core/test_first_call.py",
    "test/package/test_installed.py",
    "test/package/test_kernel_cache.py",
    "test/package/test_locked_down.py",
    "test/cpp",
    "test/examples/test_examples.py",
    # Many processes, each of which loads what it needs.
    "test/cli/test_path_verb.py",
    "test/cli/test_goals.py",
    "test/cli/test_collisions.py",
    # Waits most of the time.
    "test/trust/test_soak.py",
    # Compare figures and weights.
    "benchmarks/test",
    "test/learned",
)
"""Folders and files of tests that a machine may take any time for."""


class Beside:
    """Commands that run in turn at low priority, with what they print in a file."""

    def __init__(self, commands: Sequence[Sequence[str]]):
        """Start the first."""
        self.failed = False
        self.interrupted = False
        self._commands = commands
        self._file = BUILD / "tests_beside.log"
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        with self._file.open("w", encoding="utf-8") as log:
            for command in self._commands:
                if not self.interrupted:
                    done = subprocess.run(
                        ["nice", *command], cwd=CHECKOUT, stdout=log, stderr=subprocess.STDOUT
                    )
                    self.failed |= done.returncode != 0

    def wait(self) -> str:
        """Return what they printed, once all have ended."""
        self._thread.join()
        return self._file.read_text(encoding="utf-8")


def pytest(results: Path, *words: str) -> list[str]:
    """Return a call of pytest that leaves its results in a file."""
    results.unlink(missing_ok=True)
    return [sys.executable, "-m", "pytest", f"--junitxml={results}", *words]


def without(paths: Sequence[str]) -> list[str]:
    """Return the options that leave the tests in folders and files to another session."""
    return [f"--ignore={path}" for path in paths]


def totals(*results: Path) -> dict[str, int]:
    """Return how many tests passed, failed and were skipped in all sessions."""
    found = {"passed": 0, "failed": 0, "skipped": 0}
    for file in filter(Path.exists, results):
        for suite in ElementTree.parse(file).iter("testsuite"):
            count = {key: int(suite.attrib[key]) for key in ("tests", "failures", "errors")}
            skipped, failed = int(suite.attrib["skipped"]), count["failures"] + count["errors"]
            found["passed"] += count["tests"] - failed - skipped
            found["failed"] += failed
            found["skipped"] += skipped
    return found


def main() -> int:
    """Run both, and say how they ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--types", help="a command that checks types", default="true")
    types = shlex.split(parser.parse_args().types)
    BUILD.mkdir(exist_ok=True)
    start, results = time.monotonic(), (BUILD / "tests.xml", BUILD / "tests_beside.xml")
    # A session stores which tests failed last, and a slow test ends when its time is over: at low
    # priority that is longer.
    own = ("-o", "cache_dir=.pytest_cache/beside", "-o", "timeout=900")
    beside = Beside([types, pytest(results[1], *own, *BESIDE, *without(FRONT))])

    def stop(*_: object) -> None:
        beside.interrupted = True

    # The keyboard interrupts the sessions as well, which then end as they do alone.
    signal.signal(signal.SIGINT, stop)
    front = subprocess.run(pytest(results[0], *FRONT, *without(BESIDE)), cwd=CHECKOUT)
    print("\nBeside these: types,", ", ".join(BESIDE), flush=True)
    print(beside.wait())
    words = ", ".join(f"{count} {what}" for what, count in totals(*results).items())
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    print(f"All tests: {words}, in {minutes}:{seconds:02d} minutes")
    return 130 if beside.interrupted else int(front.returncode != 0 or beside.failed)


if __name__ == "__main__":
    raise SystemExit(main())
