"""Targets and a duration in, bad input for that long, and every input that did harm out.

    python scripts/reliability/fuzz.py urdf weights --seconds 600

Each target runs in a process of its own whose memory is limited; this one looks on, ends it where
a case takes too long, and starts it anew after the case that ended it. A case is harmless where it
is accepted and then works, or is refused by one of the package's own errors. Everything else is
written to build/fuzz, with the words that repeat it. Run by `make fuzz`.
"""

import argparse
import json
import os
import queue
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

TARGETS = {
    "urdf": "fuzz_descriptions:Urdf",
    "srdf": "fuzz_descriptions:Srdf",
    "weights": "fuzz_weights:Weights",
    "parameters": "fuzz_parameters:Parameters",
    "requests": "fuzz_requests:Requests",
}
MEMORY = 3 << 30
"""Address space that all cases of a process may take beyond what it starts with [B]."""
CASE_LIMIT = 90.0
"""Time after which a case counts as one without end [s]; processors may be shared."""
START_LIMIT = 600.0
RECORDS = Path(__file__).resolve().parents[2] / "build" / "fuzz"


def work(name: str, seed: int, first: int, seconds: float, cases: int) -> None:
    """Try cases and tell of each on standard output, a JSON line before and one after it."""
    import numpy as np

    np.seterr(all="ignore")
    module, _, attribute = TARGETS[name].partition(":")
    target = getattr(import_module(module), attribute)()
    target.prepare()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    tell = os.fdopen(os.dup(1), "w")
    end, index = time.monotonic() + seconds, first
    while time.monotonic() < end and index < first + cases:
        rng = np.random.default_rng((seed, index))
        case = target.case(rng)
        print(json.dumps({"begin": index}), file=tell, flush=True)
        start, outcome, harm = time.process_time(), "", ""
        try:
            outcome = target.run(case, rng)
        except Exception:
            harm = traceback.format_exc()
            RECORDS.mkdir(parents=True, exist_ok=True)
            (RECORDS / f"{name}-{seed}-{index}").write_bytes(case)
        used = time.process_time() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
        report = {"end": index, "outcome": outcome, "harm": harm, "s": used, "MiB": memory}
        print(json.dumps(report), file=tell, flush=True)
        index += 1
    tell.close()


class Watch:
    """Runs one target and adds up what comes of it.

    Args:
        name: The target.
        seed: Chooses its cases.
    """

    def __init__(self, name: str, seed: int):
        """Begin with the first case."""
        self.name, self._seed = name, seed
        self.outcomes: Counter[str] = Counter()
        self.harm: list[str] = []
        self.slowest = self.memory = 0.0

    def run(self, seconds: float, cases: int) -> None:
        """Try cases for a time [s], at most so many."""
        end, index = time.monotonic() + seconds, 0
        while time.monotonic() < end and index < cases:
            index = self._one_process(index, end - time.monotonic(), cases - index)

    def _one_process(self, first: int, seconds: float, cases: int) -> int:
        """Run one process to its end; return the number of the next case."""
        command = [sys.executable, __file__, "--worker", self.name, "--seed", str(self._seed)]
        command += ["--first", str(first), "--seconds", str(seconds), "--cases", str(cases)]
        worker = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace", start_new_session=True,
        )  # fmt: skip
        assert worker.stderr is not None
        errors: list[str] = []
        reader = threading.Thread(target=lambda: errors.extend(worker.stderr or ()), daemon=True)
        reader.start()
        running: int | None = None
        done, fault = first, ""
        for line in _lines(worker):
            if line is None:
                fault = "takes too long"
                break
            report = _report(line)
            if report is None:
                continue
            if "begin" in report:
                running = report["begin"]
                continue
            done, running = report["end"] + 1, report["end"]
            self._count(report)
        _end(worker, 0.0 if fault else 20.0)
        reader.join(5.0)
        if fault or worker.returncode:
            what = fault or f"ended the process ({worker.returncode})"
            case = done if running is None or running < done else running
            self.harm.append(f"{self._words(case)}: {what}\n{''.join(errors)[-3000:]}")
            return case + 1
        return max(done, first + cases) if done == first else done

    def _count(self, report: dict[str, Any]) -> None:
        self.outcomes[report["outcome"] or "harm"] += 1
        self.slowest = max(self.slowest, report["s"])
        self.memory = max(self.memory, report["MiB"])
        if report["harm"]:
            self.harm.append(f"{self._words(report['end'])}\n{report['harm']}")

    def _words(self, index: int) -> str:
        return f"{self.name} --seed {self._seed} --first {index} --cases 1"

    def figures(self) -> dict[str, Any]:
        """Return what was measured."""
        return {
            "target": self.name,
            "cases": sum(self.outcomes.values()),
            "outcomes": dict(self.outcomes.most_common()),
            "harm": len(self.harm),
            "slowest_s": self.slowest,
            "memory_MiB": self.memory,
        }


def _report(line: str) -> dict[str, Any] | None:
    """Return what a line says; None where it is something that a library has printed."""
    try:
        report = json.loads(line)
    except ValueError:
        return None
    return report if isinstance(report, dict) else None


def _lines(worker: subprocess.Popen[str]) -> Iterator[str | None]:
    """Yield a process's lines; None, once, where the next one does not come in time."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        for line in worker.stdout or ():
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    limit = START_LIMIT
    while True:
        try:
            line = lines.get(timeout=limit)
            limit = CASE_LIMIT
        except queue.Empty:
            yield None
            return
        if line is None:
            return
        yield line


def _end(worker: subprocess.Popen[str], patience: float) -> None:
    """Wait for a process [s], and end it and what it has started where that takes too long."""
    try:
        worker.wait(patience)
    except subprocess.TimeoutExpired:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz and report; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=600.0, help="for each target [s]")
    parser.add_argument("--cases", type=int, default=10**9, help="at most so many for each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        work(options.worker, options.seed, options.first, options.seconds, options.cases)
        return 0
    unknown = [name for name in options.targets if name not in TARGETS]
    if unknown:
        parser.error(f"unknown target {unknown[0]}; choose from: {', '.join(TARGETS)}")
    watches = []
    print("| target | cases | outcomes | slowest [s] | memory [MiB] | harm |\n|" + "---|" * 6)
    for name in options.targets or TARGETS:
        watch = Watch(name, options.seed)
        watches.append(watch)
        watch.run(options.seconds, options.cases) if not options.first else watch._one_process(
            options.first, options.seconds, options.cases
        )
        f = watch.figures()
        outcomes = ", ".join(f"{count} {what}" for what, count in f["outcomes"].items())
        print(
            f"| {name} | {f['cases']} | {outcomes} | {f['slowest_s']:.2f} | "
            f"{f['memory_MiB']:.0f} | {f['harm']} |",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps([watch.figures() for watch in watches], indent=1))
    harm = [text for watch in watches for text in watch.harm]
    for text in harm[:20]:
        print(f"fuzz: {text}", file=sys.stderr)
    empty = [watch.name for watch in watches if not watch.outcomes]
    if empty:
        print(f"fuzz: nothing was tried: {', '.join(empty)}", file=sys.stderr)
    return int(bool(harm or empty))


if __name__ == "__main__":
    sys.exit(main())
