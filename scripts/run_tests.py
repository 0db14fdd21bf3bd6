"""Every check of types and every test, on two cores at once.

Tests that look at the clock run as in any call of pytest, and at the same time those that start
nodes and wait for them. Beside these, at low priority and two at a time, run the checks of types
and the tests that only compute or compile. What all but the first print is in build/tests_*.log,
a file for each, and follows at the end. Run by `make test`, after ruff.
"""

import argparse
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
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
    "apart": ("test/bindings/test_wrong_calls.py", "test/cpp", "test/package/test_installed.py"),
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


def session(name: str, *words: str) -> list[str]:
    """Return a call of pytest with some words, whose results are in a file of its name."""
    results(name).unlink(missing_ok=True)
    return [sys.executable, "-m", "pytest", f"--junitxml={results(name)}", *words]


def results(name: str) -> Path:
    """Return the file with the results of a session."""
    return BUILD / f"tests_{name}.xml"


def cache(name: str) -> list[str]:
    """Return the options by which a session stores for itself which tests failed last."""
    return ["-o", f"cache_dir=.pytest_cache/{name}"]


def without(*paths: str) -> list[str]:
    """Return the options that leave the tests in folders and files to another session."""
    return [f"--ignore={path}" for path in paths]


def run(log: Path, command: list[str]) -> bool:
    """Run a command, with what it prints in a file; return whether it succeeded."""
    with log.open("w", encoding="utf-8") as out:
        done = subprocess.run(command, cwd=CHECKOUT, stdout=out, stderr=subprocess.STDOUT)
    return done.returncode == 0


def totals(*names: str) -> dict[str, int]:
    """Return how many tests of sessions passed, failed and were skipped."""
    found = {"passed": 0, "failed": 0, "skipped": 0}
    for file in filter(Path.exists, map(results, names)):
        for suite in ElementTree.parse(file).iter("testsuite"):
            count = {key: int(suite.attrib[key]) for key in ("tests", "failures", "errors")}
            skipped, failed = int(suite.attrib["skipped"]), count["failures"] + count["errors"]
            found["passed"] += count["tests"] - failed - skipped
            found["failed"] += failed
            found["skipped"] += skipped
    return found


def main() -> int:
    """Run all sessions, and say how they ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--types", help="a command that checks types", default="true")
    types = shlex.split(parser.parse_args().types)
    BUILD.mkdir(exist_ok=True)
    start = time.monotonic()
    # A slow test ends when its time is over: at low priority that is longer.
    own = "-o", "timeout=900"
    low = {
        name: ["nice", *session(name, *own, *cache(name), *paths, *without(*FRONT))]
        for name, paths in BESIDE.items()
    }
    nodes = session("nodes", *cache("nodes"), *NODES)
    elsewhere = [path for paths in BESIDE.values() for path in paths]
    front = session("front", *FRONT, *without(*NODES, *elsewhere))
    longest, *others = low
    order = {longest: low[longest], "types": ["nice", *types], **{one: low[one] for one in others}}
    logs = {name: BUILD / f"tests_{name}.log" for name in ("nodes", *order)}
    interrupted = False
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        beside = [one.submit(run, logs["nodes"], nodes)]
        beside += [two.submit(run, logs[name], command) for name, command in order.items()]

        def stop(*_: object) -> None:
            nonlocal interrupted
            interrupted = True
            for future in beside:
                future.cancel()

        # The keyboard interrupts the sessions as well, which then end as they do alone.
        signal.signal(signal.SIGINT, stop)
        failed = subprocess.run(front, cwd=CHECKOUT).returncode != 0
    print("\nBeside these: types,", ", ".join([*NODES, *elsewhere]), flush=True)
    ended = [(log, future) for log, future in zip(logs.values(), beside, strict=True)]
    ended = [(log, future.result()) for log, future in ended if not future.cancelled()]
    print(*(log.read_text(encoding="utf-8") for log, _ in ended), sep="\n")
    counts = totals("front", "nodes", *BESIDE)
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    words = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"All tests: {words}, in {minutes}:{seconds:02d} minutes")
    return 130 if interrupted else int(failed or not all(good for _, good in ended))


if __name__ == "__main__":
    raise SystemExit(main())
