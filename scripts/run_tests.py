"""Every check of types and every test, on two cores at once.

Tests that look at the clock run as in any call of pytest, and at the same time those that start
nodes and wait for them. Beside these, at low priority and two at a time, run the checks of types
and the tests that only compute or compile. What all but the first print is in
build/tests_nodes.log, build/tests_beside_1.log and build/tests_beside_2.log, and follows at the
end. Run by `make test`, after ruff.
"""

import argparse
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

CHECKOUT = Path(__file__).resolve().parents[1]
BUILD = CHECKOUT / "build"
FRONT = ("test",)
"""Folders of tests that look at the clock, those of NODES among them."""
NODES = ("test/ros",)
"""Folders of tests that start nodes."""
BESIDE = {
    # C++, compiled for minutes.
    "apart": (
        "test/bindings/test_wrong_calls.py",
        "test/cpp",
        "test/package/test_installed.py",
    ),
    # Many processes, each of which loads what it needs; the last waits most of the time.
    "processes": (
        "test/core/test_first_call.py",
        "test/package/test_plain_calls.py",
        "test/examples/test_examples.py",
        "test/cli/test_path_verb.py",
        "test/cli/test_goals.py",
        "test/cli/test_collisions.py",
        "test/cli/test_readme.py",
        "test/trust/test_fuzz.py",
        "test/trust/test_supply.py",
        "test/trust/test_soak.py",
    ),
    # Compare figures, files and weights.
    "benchmarks": ("benchmarks/test",),
    "learned": ("test/learned",),
    "figures": (
        "test/collision/test_body.py",
        "test/collision/test_shape_distances.py",
        "test/core/test_prismatic.py",
        "test/core/test_six_joints.py",
        "test/plots",
        "test/reach",
        "test/samplers",
    ),
}
"""Folders and files of other tests that a machine may take any time for, each for a session."""


class Lane:
    """Runs commands in turn, with what they print in a file.

    Args:
        name: Of the file.
        commands: To run, each by the first lane that is free; to take the next may take time.
        first: What commands begin with.
    """

    def __init__(self, name: str, commands: "Commands", *first: str):
        self.failed = False
        self._commands, self._first = commands, first
        self._file = BUILD / f"tests_{name}.log"

    def run(self) -> None:
        """Run what is left."""
        with self._file.open("w", encoding="utf-8") as log:
            while command := self._commands.take():
                done = subprocess.run(
                    [*self._first, *command], cwd=CHECKOUT, stdout=log, stderr=subprocess.STDOUT
                )
                self.failed |= done.returncode != 0

    def printed(self) -> str:
        """Return what they printed."""
        return self._file.read_text(encoding="utf-8")


class Commands:
    """Commands of which several threads each take the next."""

    def __init__(self, commands: Iterator[Sequence[str]]):
        self.interrupted = False
        self._commands, self._lock = commands, threading.Lock()

    def take(self) -> Sequence[str] | None:
        """Return the next, or None if there is none."""
        with self._lock:
            return None if self.interrupted else next(self._commands, None)


class Sessions:
    """Calls of pytest whose results add up."""

    def __init__(self) -> None:
        self._results: list[Path] = []

    def call(self, name: str, *words: str) -> list[str]:
        """Return the call with some words."""
        results = BUILD / f"tests_{name}.xml"
        results.unlink(missing_ok=True)
        self._results.append(results)
        return [sys.executable, "-m", "pytest", f"--junitxml={results}", *words]

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


def cache(session: str) -> list[str]:
    """Return the options by which a session stores for itself which tests failed last."""
    return ["-o", f"cache_dir=.pytest_cache/{session}"]


def main() -> int:
    """Run all sessions, and say how they ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--types", help="a command that checks types", default="true")
    types = shlex.split(parser.parse_args().types)
    BUILD.mkdir(exist_ok=True)
    start, sessions = time.monotonic(), Sessions()
    # A slow test ends when its time is over: at low priority that is longer.
    own = "-o", "timeout=900"

    def commands() -> Iterator[Sequence[str]]:
        for number, (name, paths) in enumerate(BESIDE.items()):
            yield sessions.call(name, *own, *cache(name), *paths, *without(*FRONT))
            if number == 0:  # what takes longest comes first
                yield types

    left = Commands(commands())
    nodes = Commands(iter([sessions.call("nodes", *cache("nodes"), *NODES)]))
    beside = [Lane("nodes", nodes), *(Lane(f"beside_{k}", left, "nice") for k in (1, 2))]
    threads = [threading.Thread(target=lane.run) for lane in beside]
    for thread in threads:
        thread.start()

    def stop(*_: object) -> None:
        left.interrupted = True

    # The keyboard interrupts the sessions as well, which then end as they do alone.
    signal.signal(signal.SIGINT, stop)
    elsewhere = [path for paths in BESIDE.values() for path in paths]
    front = sessions.call("front", *FRONT, *without(*NODES, *elsewhere))
    failed = subprocess.run(front, cwd=CHECKOUT).returncode != 0
    for thread in threads:
        thread.join()
    print("\nBeside these: types,", ", ".join([*NODES, *elsewhere]), flush=True)
    print(*(lane.printed() for lane in beside), sep="\n")
    words = ", ".join(f"{count} {what}" for what, count in sessions.totals().items())
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    print(f"All tests: {words}, in {minutes}:{seconds:02d} minutes")
    return 130 if left.interrupted else int(failed or any(lane.failed for lane in beside))


if __name__ == "__main__":
    raise SystemExit(main())
