"""Every check of types and every test, on two cores at once.

The test of `generative-ik warm-up` goes first and compiles all kernels into build/kernels, from
where later sessions load them. Then tests that start nodes or look at the clock run as in any call
of pytest. Beside these, at low priority, run the checks of types, the tests that need no kernels
of others, and then those that only compute. What these print is in build/tests_beside.log, and
follows at the end. Run by `make test`, after ruff.
"""

import argparse
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

CHECKOUT = Path(__file__).resolve().parents[1]
BUILD = CHECKOUT / "build"
KERNELS = BUILD / "kernels"
FIRST = ("test/cli/test_warm_up.py",)
"""Leaves kernels in an empty folder that NUMBA_CACHE_DIR names."""
FRONT = ("test", "benchmarks/test/test_viewer_frames.py")
"""Folders and files of tests that start nodes or look at the clock."""
APART = (
    # C++.
    "test/bindings",
    "test/cpp",
    # Compile into folders of their own, for minutes.
    "test/package/test_installed.py",
    "test/package/test_kernel_cache.py",
    "test/package/test_locked_down.py",
)
"""Folders and files of tests that may take any time, and need no kernels of others."""
BESIDE = (
    # Compiles into a folder of its own.
    "test/core/test_first_call.py",
    # Many processes, each of which loads what it needs.
    "test/examples/test_examples.py",
    "test/cli/test_path_verb.py",
    "test/cli/test_goals.py",
    "test/cli/test_collisions.py",
    "test/cli/test_readme.py",
    "test/trust/test_fuzz.py",
    "test/trust/test_supply.py",
    # Waits most of the time.
    "test/trust/test_soak.py",
    # Compare figures, files and weights.
    "test/collision/test_body.py",
    "test/collision/test_shape_distances.py",
    "test/core/test_prismatic.py",
    "test/core/test_six_joints.py",
    "test/plots",
    "test/reach",
    "test/samplers",
    "benchmarks/test",
    "test/learned",
)
"""Folders and files of other tests that a machine may take any time for."""


class Beside:
    """Commands that run in turn at low priority, with what they print in a file."""

    def __init__(self, commands: Iterable[Sequence[str]]):
        """Start the first; to take the next may take time."""
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


class Sessions:
    """Calls of pytest whose results add up."""

    def __init__(self) -> None:
        """Begin without any."""
        self._results: list[Path] = []

    def call(self, name: str, *words: str, kernels: bool = True) -> list[str]:
        """Return the call with some words, and with the kernels that the first one leaves."""
        results = BUILD / f"tests_{name}.xml"
        results.unlink(missing_ok=True)
        self._results.append(results)
        folder = [f"NUMBA_CACHE_DIR={KERNELS}"] if kernels else []
        return ["env", *folder, sys.executable, "-m", "pytest", f"--junitxml={results}", *words]

    def totals(self) -> dict[str, int]:
        """Return how many tests passed, failed and were skipped."""
        found = {"passed": 0, "failed": 0, "skipped": 0}
        for file in filter(Path.exists, self._results):
            for suite in ElementTree.parse(file).iter("testsuite"):
                count = {key: int(suite.attrib[key]) for key in ("tests", "failures", "errors")}
                skipped, failed = int(suite.attrib["skipped"]), count["failures"] + count["errors"]
                found["passed"] += count["tests"] - failed - skipped
                found["failed"] += failed
                found["skipped"] += skipped
        return found


def without(*paths: str) -> list[str]:
    """Return the options that leave the tests in folders and files to another session."""
    return [f"--ignore={path}" for path in paths]


def main() -> int:
    """Run all sessions, and say how they ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--types", help="a command that checks types", default="true")
    types = shlex.split(parser.parse_args().types)
    BUILD.mkdir(exist_ok=True)
    shutil.rmtree(KERNELS, ignore_errors=True)
    start, sessions, compiled = time.monotonic(), Sessions(), threading.Event()
    # A session stores which tests failed last, and a slow test ends when its time is over: at low
    # priority that is longer.
    own = ("-o", "cache_dir=.pytest_cache/beside", "-o", "timeout=900")

    def commands() -> Iterator[Sequence[str]]:
        yield types
        yield sessions.call("apart", *own, *APART, kernels=False)
        compiled.wait()
        yield sessions.call("beside", *own, *BESIDE, *without(*FRONT))

    beside = Beside(commands())

    def stop(*_: object) -> None:
        beside.interrupted = True

    # The keyboard interrupts the sessions as well, which then end as they do alone.
    signal.signal(signal.SIGINT, stop)
    failed = False
    rest = without(*FIRST, *APART, *BESIDE)
    for words in ("first", *FIRST), ("front", *FRONT, *rest):
        if not beside.interrupted:
            failed |= subprocess.run(sessions.call(*words), cwd=CHECKOUT).returncode != 0
        compiled.set()
    print("\nBeside these: types,", ", ".join(APART + BESIDE), flush=True)
    print(beside.wait())
    words = ", ".join(f"{count} {what}" for what, count in sessions.totals().items())
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    print(f"All tests: {words}, in {minutes}:{seconds:02d} minutes")
    return 130 if beside.interrupted else int(failed or beside.failed)


if __name__ == "__main__":
    raise SystemExit(main())
