"""The time from the start of a process to its first solutions, beside a bare import of numpy.

Each process is new. A cold one finds no cache of any kind: Python's bytecode is compiled anew, of
this package as of numpy. Beside ours: a process that imports numpy and nothing else, and another
version of the package, if one is given; all in turns.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

import generative_ik_ros
from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.options import RunOptions, option, sampler_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.text import Quartiles, number, spread
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.errors import InvalidArgumentError

# The clock is the system's, so that the process that starts another can read it, too.
_OURS = """
import sys, time
begin = time.perf_counter()
from generative_ik_ros import IKSolver, KinematicChain
imported = time.perf_counter()
path, base, tip, sampler, count = sys.argv[1:]
chain = KinematicChain.from_urdf(path, base, tip)
solver = IKSolver(chain, sampler=sampler, device="cpu")
target = chain.forward((chain.lower + chain.upper) / 2.0)
ready = time.perf_counter()
found = solver.solve(target, int(count)).of(0)
end = time.perf_counter()
import json
stages = [imported - begin, ready - imported, end - ready]
print(json.dumps({"end": end, "stages": stages, "solutions": found.tolist()}))
"""
_NUMPY = """
import numpy, time
end = time.perf_counter()
import json
print(json.dumps({"end": end, "stages": [], "solutions": []}))
"""
_NUMPY_ALONE = "import numpy"


def _check_folder(folder: str) -> None:
    if folder and not (Path(folder) / "generative_ik_ros").is_dir():
        raise InvalidArgumentError(f"'{folder}' has no folder generative_ik_ros")


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    warm: int = option(15, "Processes that find Python's bytecode.", quick=1, min=1)
    cold: int = option(3, "Processes that find no cache of any kind.", quick=1, min=1)
    solutions: int = option(100, "Solutions wanted of the first pose.", min=1)
    sampler: str = sampler_option()
    beside: str = option("", "Folder of another version's sources.", check=_check_folder)


@dataclass(frozen=True, kw_only=True)
class StartRow:
    """The processes of one kind."""

    version: str = figure('"ours", "beside" or "import numpy".')
    cold: bool = figure("Whether there was no cache.")
    processes: int = figure("How many there were.")
    total: Quartiles = figure(
        "From the start of a process to its solutions, or to the end of the import [s]."
    )
    stages: tuple[float, ...] = figure(
        "Medians of importing, making the solver, and solving [s]; none of numpy."
    )
    ratio: Quartiles = figure("`total` relative to the import of numpy in the same turn.")


@dataclass(frozen=True, kw_only=True)
class StartTable(ChainTable):
    """One chain."""

    solutions: int = figure("Solutions wanted.")
    rows: tuple[StartRow, ...] = figure("A row a version and state of the cache.")
    violations: Violations = figure("Everything untrue in our own results.")


class _Process(NamedTuple):
    """What one process took [s], in stages, and the solutions that it found."""

    total: float
    stages: list[float]
    solutions: list[list[float]]


def measure(case: ChainCase, options: Options, on_step: OnStep) -> StartTable:
    """Measure one chain."""
    chain = case.chain
    checker = Checker(Oracle.of(case), chain, 1e-5, 1e-5)
    target = chain.forward((chain.lower + chain.upper) / 2.0)
    ours = str(Path(generative_ik_ros.__file__).parent.parent)
    links = [str(case.source), case.base_link, case.tip_link]
    words = [*links, options.sampler, str(options.solutions)]
    versions = {"ours": (_OURS, ours, words), _NUMPY_ALONE: (_NUMPY, ours, [])}
    if options.beside:
        versions["beside"] = (_OURS, options.beside, words)
    violations, rows = Violations(), []
    with tempfile.TemporaryDirectory() as folder:
        for cold, processes in ((True, options.cold), (False, options.warm)):
            turns: list[dict[str, _Process]] = []
            for turn in range(processes):
                runs = {}
                for name, (script, sources, arguments) in versions.items():
                    # What the first cold one leaves there, the warm ones find.
                    cache = Path(folder) / name / (f"cold{turn}" if cold else "cold0")
                    runs[name] = _run(script, arguments, sources, cache)
                    on_step()
                turns.append(runs)
                violations += checker.violations(target, np.array(runs["ours"].solutions))
            rows += [_row(name, turns, cold=cold) for name in versions]
    return StartTable(
        chain=case.label,
        dof=chain.num_joints,
        absent={},
        solutions=options.solutions,
        rows=tuple(rows),
        violations=violations,
    )


def _run(script: str, arguments: list[str], sources: str, cache: Path) -> _Process:
    """Run a script in a new process whose caches are in a folder."""
    caches = ("PYTHONPYCACHEPREFIX", "XDG_CACHE_HOME")
    environment = {**os.environ, **{name: str(cache / name) for name in caches}}
    environment["PYTHONPATH"] = os.pathsep.join([sources, environment.get("PYTHONPATH", "")])
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begin = perf_counter()
    process = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=environment,
        cwd=sources,
        stdout=subprocess.PIPE,
        check=True,
    )
    said = json.loads(process.stdout.splitlines()[-1])
    return _Process(said["end"] - begin, said["stages"], said["solutions"])


def _row(name: str, turns: Sequence[dict[str, _Process]], *, cold: bool) -> StartRow:
    total = np.array([runs[name].total for runs in turns])
    alone = np.array([runs[_NUMPY_ALONE].total for runs in turns])
    stages = np.array([runs[name].stages for runs in turns])
    return StartRow(
        version=name,
        cold=cold,
        processes=len(turns),
        total=Quartiles.of(total),
        stages=tuple(np.median(stages, axis=0).tolist()),
        ratio=Quartiles.of(total / alone),
    )


def listings(tables: Sequence[StartTable]) -> Iterator[Listing]:
    """Show a row a version and state of the cache."""

    def stage(index: int) -> Callable[..., str]:
        return lambda _, row: number(1e3 * row.stages[index], 3) if row.stages else "-"

    columns = [
        ("chain", lambda table, _: table.chain),
        ("process", lambda _, row: row.version),
        ("cache", lambda _, row: "none" if row.cold else "bytecode"),
        ("processes", lambda _, row: str(row.processes)),
        ("total s", lambda _, row: spread(row.total, digits=3)),
        ("times numpy", lambda _, row: spread(row.ratio, digits=2)),
        ("imports ms", stage(0)),
        ("solver ms", stage(1)),
        ("solving ms", stage(2)),
    ]
    counts = ", ".join(str(count) for count in sorted({table.solutions for table in tables}))
    heading = (
        f"From the start of a process to {counts} solutions of one pose, medians (quartiles), "
        "beside a process that imports numpy alone. Without a cache, Python's bytecode is "
        "compiled as well."
    )
    yield Listing(heading, columns, each_row(tables))


PROTOCOL = Protocol(
    Options,
    StartTable,
    measure,
    listings,
    steps=lambda options: (options.cold + options.warm) * (3 if options.beside else 2),
    robots=("panda",),
)
