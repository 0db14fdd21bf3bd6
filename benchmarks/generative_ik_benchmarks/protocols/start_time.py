"""The time from the start of a process to its first solutions, with a cold and a warm cache.

Each process is new: a cold one compiles all kernels into an empty cache, a warm one loads them.
Beside ours: a process that loads a single cached numba function and nothing else, which is the
least that numba takes, and another version of the package, if one is given; all in turns.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

import generative_ik_ros
from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.options import RunOptions, option, sampler_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol
from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.text import number, spread
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.errors import InvalidArgumentError

_OURS = """
import sys, time
begin = time.perf_counter()
from generative_ik_ros import IKSolver, KinematicChain
imported = time.perf_counter()
path, base, tip, sampler, count = sys.argv[1:]
chain = KinematicChain.from_urdf(path, base, tip)
solver = IKSolver(chain, sampler=sampler, device="cpu")
ready = time.perf_counter()
found = solver.solve(chain.forward((chain.lower + chain.upper) / 2.0), int(count)).of(0)
end = time.perf_counter()
import json
stages = [imported - begin, ready - imported, end - ready]
print(json.dumps({"stages": stages, "solutions": found.tolist()}))
"""
_NUMBA = """
import json, numpy, sys
sys.path.insert(0, sys.argv[1])
import smallest
print(json.dumps({"stages": [], "solutions": [smallest.add(numpy.zeros(1)).tolist()]}))
"""
_SMALLEST = """
import numba
@numba.njit(cache=True)
def add(x):
    return x + 1.0
"""


def _check_folder(folder: str) -> None:
    if folder and not (Path(folder) / "generative_ik_ros").is_dir():
        raise InvalidArgumentError(f"'{folder}' has no folder generative_ik_ros")


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    warm: int = option(9, "Processes with a warm cache.", quick=1, min=1)
    cold: int = option(1, "Processes with a cold cache.", min=1)
    solutions: int = option(100, "Solutions wanted of the first pose.", min=1)
    sampler: str = sampler_option()
    beside: str = option("", "Folder of another version's sources.", check=_check_folder)


@dataclass(frozen=True, kw_only=True)
class StartRow:
    """The processes of one kind.

    Attributes:
        version: "ours", "beside" or "numba alone".
        cold: Whether the cache was empty.
        processes: How many there were.
        total: From the start of a process to its end [s].
        stages: Medians of importing, making the solver, and the first solutions [s].
        ratio: `total` relative to ours of the same turn.
    """

    version: str
    cold: bool
    processes: int
    total: Quartiles
    stages: tuple[float, ...]
    ratio: Quartiles


@dataclass(frozen=True, kw_only=True)
class StartTable(ChainTable):
    """One chain.

    Attributes:
        solutions: Solutions wanted.
        rows: A row a version and state of the cache.
        violations: Everything untrue in our own results.
    """

    solutions: int
    rows: tuple[StartRow, ...]
    violations: Violations


def measure(case: ChainCase, options: Options, on_step: OnStep) -> StartTable:
    """Measure one chain."""
    chain = case.chain
    checker = Checker(Oracle.of(case), chain, 1e-5, 1e-5)
    target = chain.forward((chain.lower + chain.upper) / 2.0)
    violations, rows = Violations(), []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "smallest.py").write_text(_SMALLEST)
        ours = Path(generative_ik_ros.__file__).parent.parent
        links = [str(case.urdf_path), case.base_link, case.tip_link]
        words = [*links, options.sampler, str(options.solutions)]
        versions = {"ours": (_OURS, str(ours), words)}
        if options.beside:
            versions["beside"] = (_OURS, options.beside, words)
        versions["numba alone"] = (_NUMBA, str(ours), [folder])
        for cold in (True, False):
            turns = []
            for turn in range(options.cold if cold else options.warm):
                runs = {}
                for name, (script, sources, arguments) in versions.items():
                    cache = Path(folder) / name / (f"cold{turn}" if cold else "cold0")
                    runs[name] = _run(script, arguments, sources, cache)
                    on_step()
                turns.append(runs)
                found = np.array(runs["ours"][2])
                violations += checker.violations(target, found)
            rows += [_row(name, turns, cold=cold) for name in versions]
    return StartTable(
        chain=case.label,
        dof=chain.num_joints,
        absent={},
        solutions=options.solutions,
        rows=tuple(rows),
        violations=violations,
    )


def _run(
    script: str, arguments: list[str], sources: str, cache: Path
) -> tuple[float, list[float], list]:
    """Run a script in a new process; return its time, its stages [s] and its solutions."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    environment["PYTHONPATH"] = os.pathsep.join([sources, environment.get("PYTHONPATH", "")])
    begin = perf_counter()
    process = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=environment,
        cwd=sources,
        stdout=subprocess.PIPE,
        check=True,
    )
    total = perf_counter() - begin
    said = json.loads(process.stdout.splitlines()[-1])
    return total, said["stages"], said["solutions"]


def _row(name: str, turns: Sequence[dict], *, cold: bool) -> StartRow:
    total = np.array([runs[name][0] for runs in turns])
    ours = np.array([runs["ours"][0] for runs in turns])
    stages = np.array([runs[name][1] for runs in turns])
    return StartRow(
        version=name,
        cold=cold,
        processes=len(turns),
        total=Quartiles.of(total),
        stages=tuple(np.median(stages, axis=0).tolist()),
        ratio=Quartiles.of(total / ours),
    )


def listings(tables: Sequence[StartTable]) -> Iterator[Listing]:
    """Show a row a version and state of the cache."""

    def stage(index: int) -> object:
        return lambda _, row: number(row.stages[index], 2) if row.stages else "-"

    columns = [
        ("chain", lambda table, _: table.chain),
        ("process", lambda _, row: row.version),
        ("cache", lambda _, row: "cold" if row.cold else "warm"),
        ("processes", lambda _, row: str(row.processes)),
        ("total s", lambda _, row: spread(row.total)),
        ("times ours", lambda _, row: spread(row.ratio, digits=2)),
        ("imports s", stage(0)),
        ("solver s", stage(1)),
        ("solutions s", stage(2)),
    ]
    counts = ", ".join(str(count) for count in sorted({table.solutions for table in tables}))
    heading = (
        f"From the start of a process to its end after {counts} solutions of one pose, medians "
        "(quartiles). cold: all kernels are compiled; warm: loaded. numba alone: a process that "
        "loads one cached function of one line."
    )
    yield Listing(heading, columns, [(table, row) for table in tables for row in table.rows])


PROTOCOL = Protocol(
    Options,
    StartTable,
    measure,
    listings,
    steps=lambda options: (options.cold + options.warm) * (3 if options.beside else 2),
    robots=("panda",),
)
