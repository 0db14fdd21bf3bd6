"""Compares the times of this checkout with those of another commit: make compare REF=COMMIT.

    python benchmarks/compare.py REF [--protocol NAME ...] [--rounds N] [--options='WORDS']

The commit is checked out and built below build/compare, and runs with the same interpreter and
libraries. Both run the protocols of their own `generative-ik evaluate` in turns, in processes of
their own, and who goes first changes from round to round. Printed are ratios of times, round by
round, and of each version's fastest round, which other work and a changing clock disturb least.
A row of another solver shows how much of a ratio is the machine's.
"""

import argparse
import json
import math
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from generative_ik_benchmarks.cli.common import print_listing
from generative_ik_benchmarks.protocol import text_listing
from generative_ik_benchmarks.protocols.registry import PROTOCOLS
from generative_ik_benchmarks.time_figures import Comparison, compare, time_figures

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "compare"
CHOSEN = {
    "peers": "--peer trac-ik --robot panda --robot ur10",
    "branches": "--poses 100 --robot ur10 --robot lwa4p",
    "curves": "--poses 10 --robot panda --robot iiwa",
    "batches": "--robot panda --robot ur10",
    "throughput": "",
}
"""What is run where no protocol is named, and with which options where none are given: some
seconds a run, so that a round is over before the machine has changed."""
SLOWER = 1.05
"""Ratio from which on a row is slower, if three of four rounds and the fastest ones say so."""
LEAST_ROUNDS = 3
"""Rounds from which on rows are called slower or faster."""
OTHERS = ("trac-ik", "ssik", "eaik")
"""Solvers that run the same code with both commits: their ratios are the machine's."""


class RunError(Exception):
    """A protocol did not run to its end."""


@dataclass
class Version:
    """A checkout and what was measured with it.

    Attributes:
        name: For people.
        folder: Its files.
        rounds: The times of each round, by protocol.
    """

    name: str
    folder: Path
    rounds: dict[str, list[dict[tuple[str, ...], float]]] = field(default_factory=dict)

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run Python in this checkout, with what is imported from it and caches of its own."""
        paths = os.pathsep.join(map(str, (self.folder, self.folder / "benchmarks")))
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": paths},
            capture_output=True,
            text=True,
        )

    def build(self) -> None:
        """Compile the native module as far as it has changed; commits before it have none."""
        if not (self.folder / "bindings").is_dir():
            return
        say(f"compiling {self.name}")
        done = self.run("setup.py", "build_ext", "--inplace")
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}\ncompare: {self.name} cannot be compiled")

    def measure(self, protocol: str, options: Sequence[str]) -> dict[tuple[str, ...], float]:
        """Run a protocol once and return its times."""
        file = FOLDER / f"{protocol}.json"
        file.unlink(missing_ok=True)
        words = ("-m", "generative_ik_ros", "evaluate", protocol, *options, "--json", str(file))
        done = self.run(*words)
        if not file.exists():
            raise RunError(f"{done.stderr[-3000:]}\n{self.name}: {shlex.join(words)} failed")
        if done.returncode:
            say(f"{self.name}: {protocol} has false results")
        return time_figures(json.loads(file.read_text()))


def say(text: str) -> None:
    """Print progress."""
    print(f"compare: {text}", file=sys.stderr, flush=True)


def git(*words: str | Path, instead: str = "") -> str:
    """Return what a git command prints, or end with what it says or what is to be said instead."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"compare: {instead or done.stderr.strip()}")
    return done.stdout.strip()


def checked_out(ref: str) -> Version:
    """Return a commit's files in a folder of its own, which later comparisons use again."""
    if not ref:
        sys.exit("compare: name a commit: make compare REF=main")
    commit = git(
        "rev-parse", "--verify", f"{ref}^{{commit}}", instead=f"there is no commit '{ref}'"
    )
    folder = FOLDER / commit[:12]
    git("worktree", "prune")
    if not folder.exists():
        git("worktree", "add", "--detach", folder, commit)
    return Version(f"{ref} ({commit[:12]})" if ref != commit else commit[:12], folder)


def measure_rounds(
    versions: Sequence[Version], options: dict[str, list[str]], rounds: int
) -> None:
    """Measure both versions in turns; what both were measured with is kept when interrupted."""
    for number in range(rounds):
        for protocol, words in options.items():
            found, began = {}, time.monotonic()
            for version in versions if number % 2 == 0 else versions[::-1]:
                found[version.name] = version.measure(protocol, words)
            for version in versions:
                version.rounds.setdefault(protocol, []).append(found[version.name])
            spent = time.monotonic() - began
            say(f"round {number + 1} of {rounds}: {protocol}, both in {spent:.0f} s")


def report(protocol: str, ours: Version, other: Version) -> None:
    """Print a protocol's ratios."""
    rounds = len(ours.rounds[protocol])
    rows = compare(ours.rounds[protocol], other.rounds[protocol])
    if not rows:
        print(f"\n{protocol}: no times that both versions have")
        return
    mine = [row for row in rows if not _of_others(row)]
    heading = f"{protocol}, {rounds} rounds: times of this checkout over those of {other.name}"
    heading += f"; geometric mean {_mean(mine)}"
    if len(mine) < len(rows):
        heading += f", of solvers that are the same in both {_mean(filter(_of_others, rows))}"
    cells = [_cells(row, marked=rounds >= LEAST_ROUNDS) for row in rows]
    print()
    print_listing(text_listing(heading, ("figure", "ratio", "quartiles", "fastest", ""), cells))


def _of_others(row: Comparison) -> bool:
    """Return whether a row is of a solver that both commits have in the same version."""
    return any(name.lower().startswith(OTHERS) for name in row.name[1:])


def _mean(rows: Iterable[Comparison]) -> str:
    """Return the geometric mean of ratios."""
    logarithms = [math.log(row.ratio.median) for row in rows]
    return f"{math.exp(sum(logarithms) / len(logarithms)):.3f}" if logarithms else "-"


def _cells(row: Comparison, *, marked: bool) -> list[str]:
    ratio = row.ratio
    mark = ""
    if marked and not _of_others(row):
        slower, faster = min(ratio.low, row.fastest), max(ratio.high, row.fastest)
        mark = "slower" if slower > SLOWER else "faster" if faster < 1.0 / SLOWER else ""
    spread = f"{ratio.low:.3f} to {ratio.high:.3f}"
    robot, *rest = row.name
    name = ", ".join((robot.partition(":")[0], *rest))
    return [name, f"{ratio.median:.3f}", spread, f"{row.fastest:.3f}", mark]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Compare the times of two commits.")
    parser.add_argument("ref", help="the commit to compare with")
    parser.add_argument("--protocol", action="append", choices=PROTOCOLS, help="only this one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--options", metavar="'WORDS'", help="of evaluate; --options='--quick'")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error("--rounds must be at least 1")
    options = {
        name: shlex.split(given.options or CHOSEN.get(name, ""))
        for name in given.protocol or CHOSEN
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    versions = Version("this checkout", ROOT), checked_out(given.ref)
    code = 0
    try:
        for version in versions:
            version.build()
        say("the first round also compiles the kernels of versions that have any, for minutes")
        measure_rounds(versions, options, given.rounds)
    except KeyboardInterrupt:
        say("interrupted; this is what was measured")
        code = 130
    except RunError as error:
        say(str(error))
        code = 1
    for protocol in versions[0].rounds:
        report(protocol, *versions)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
