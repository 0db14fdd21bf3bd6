"""Fuzzer for everything that the package reads.

    python scripts/reliability/fuzz.py urdf weights --seconds 600

Each target runs in a worker process with limited memory. This process supervises it, kills it if a
case takes too long, and restarts it after a case that ended it. A case passes if the input is
accepted and works, or is refused by one of the package's own errors. All other cases are written
to build/fuzz, with the arguments that reproduce them. Run by `make fuzz`.
"""

import argparse
import json
import os
import queue
import resource
import signal
import subprocess
import sys
import tempfile
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
    "formats": "fuzz_descriptions:Formats",
    "srdf": "fuzz_descriptions:Srdf",
    "weights": "fuzz_weights:Weights",
    "parameters": "fuzz_parameters:Parameters",
    "requests": "fuzz_requests:Requests",
}
MEMORY = 3 << 30
"""Address space of a worker beyond what it has at the start [B]."""
CASE_LIMIT = 90.0
"""Time after which a case counts as hanging [s]; the processors may be shared."""
START_LIMIT = 600.0
"""Longest time for a worker to start [s]."""
RECORDS = Path(__file__).resolve().parents[2] / "build" / "fuzz"


def work(name: str, seed: int, first: int, seconds: float, cases: int) -> None:
    """Run cases and print a JSON line before and after each."""
    import numpy as np

    np.seterr(all="ignore")
    module, _, attribute = TARGETS[name].partition(":")
    target = getattr(import_module(module), attribute)()
    target.prepare()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    output = os.fdopen(os.dup(1), "w")
    end, index = time.monotonic() + seconds, first
    while time.monotonic() < end and index < first + cases:
        rng = np.random.default_rng((seed, index))
        case = target.case(rng)
        print(json.dumps({"begin": index}), file=output, flush=True)
        start, outcome, failure = time.process_time(), "", ""
        try:
            outcome = target.run(case, rng)
        except Exception:
            failure = traceback.format_exc()
            RECORDS.mkdir(parents=True, exist_ok=True)
            (RECORDS / f"{name}-{seed}-{index}").write_bytes(case)
        used = time.process_time() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
        report = {"end": index, "outcome": outcome, "failure": failure, "s": used, "MiB": memory}
        print(json.dumps(report), file=output, flush=True)
        index += 1
    output.close()


class Supervisor:
    """Runs one target in worker processes and collects the outcomes.

    Args:
        name: The target.
        seed: Random seed of the cases.
    """

    def __init__(self, name: str, seed: int):
        self.name, self._seed = name, seed
        self.outcomes: Counter[str] = Counter()
        self.failures: list[str] = []
        self.slowest = self.memory = 0.0

    def run(self, seconds: float, first: int, cases: int) -> None:
        """Run at most `cases` cases from number `first` for a time [s]."""
        end, index = time.monotonic() + seconds, first
        while time.monotonic() < end and index < first + cases:
            index = self._run_worker(index, end - time.monotonic(), first + cases - index)

    def _run_worker(self, first: int, seconds: float, cases: int) -> int:
        """Run one worker until it ends; return the number of the next case."""
        command = [sys.executable, __file__, "--worker", self.name, "--seed", str(self._seed)]
        command += ["--first", str(first), "--seconds", str(seconds), "--cases", str(cases)]
        # A folder for all temporary files of the worker and its children, however they end.
        with tempfile.TemporaryDirectory(
            prefix="generative_ik_fuzz_", ignore_cleanup_errors=True
        ) as folder:
            worker = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                errors="replace", start_new_session=True, env={**os.environ, "TMPDIR": folder},
            )  # fmt: skip
            try:
                return self._supervise(worker, first, cases)
            finally:
                _stop(worker, 0.0)

    def _supervise(self, worker: subprocess.Popen[str], first: int, cases: int) -> int:
        """Collect a worker's reports; return the number of the next case."""
        errors: list[str] = []
        reader = threading.Thread(target=lambda: errors.extend(worker.stderr or ()), daemon=True)
        reader.start()
        running: int | None = None
        done, reason = first, ""
        for line in _lines(worker):
            if line is None:
                reason = "takes too long"
                break
            report = _report(line)
            if report is None:
                continue
            if "begin" in report:
                running = report["begin"]
                continue
            done, running = report["end"] + 1, report["end"]
            self._count(report)
        _stop(worker, 0.0 if reason else 20.0)
        reader.join(5.0)
        if reason or worker.returncode:
            reason = reason or f"ended the process ({worker.returncode})"
            case = done if running is None or running < done else running
            self.failures.append(f"{self._arguments(case)}: {reason}\n{''.join(errors)[-3000:]}")
            return case + 1
        return max(done, first + cases) if done == first else done

    def _count(self, report: dict[str, Any]) -> None:
        self.outcomes[report["outcome"] or "failure"] += 1
        self.slowest = max(self.slowest, report["s"])
        self.memory = max(self.memory, report["MiB"])
        if report["failure"]:
            self.failures.append(f"{self._arguments(report['end'])}\n{report['failure']}")

    def _arguments(self, index: int) -> str:
        return f"{self.name} --seed {self._seed} --first {index} --cases 1"

    def figures(self) -> dict[str, Any]:
        """Return the measurements."""
        return {
            "target": self.name,
            "cases": sum(self.outcomes.values()),
            "outcomes": dict(self.outcomes.most_common()),
            "failures": len(self.failures),
            "slowest_s": self.slowest,
            "memory_MiB": self.memory,
        }


def _report(line: str) -> dict[str, Any] | None:
    """Parse a line of a worker; None if it was printed by a library."""
    try:
        report = json.loads(line)
    except ValueError:
        return None
    return report if isinstance(report, dict) else None


def _lines(worker: subprocess.Popen[str]) -> Iterator[str | None]:
    """Yield the lines of a process; None, once, if the next one does not arrive in time."""
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


def _stop(worker: subprocess.Popen[str], timeout: float) -> None:
    """Wait for a process [s]; if it does not end, kill it and the processes it has started."""
    try:
        worker.wait(timeout)
    except subprocess.TimeoutExpired:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz and report; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=600.0, help="time for each target [s]")
    parser.add_argument("--cases", type=int, default=10**9, help="most cases for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--json", type=Path, help="write the measurements to this file")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        work(options.worker, options.seed, options.first, options.seconds, options.cases)
        return 0
    unknown = [name for name in options.targets if name not in TARGETS]
    if unknown:
        parser.error(f"unknown target {unknown[0]}; choose from: {', '.join(TARGETS)}")
    supervisors = []
    print("| target | cases | outcomes | slowest [s] | memory [MiB] | failures |\n|" + "---|" * 6)
    for name in options.targets or TARGETS:
        supervisors.append(supervisor := Supervisor(name, options.seed))
        supervisor.run(options.seconds, options.first, options.cases)
        f = supervisor.figures()
        outcomes = ", ".join(f"{count} {what}" for what, count in f["outcomes"].items())
        print(
            f"| {name} | {f['cases']} | {outcomes} | {f['slowest_s']:.2f} | "
            f"{f['memory_MiB']:.0f} | {f['failures']} |",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps([one.figures() for one in supervisors], indent=1))
    failures = [text for one in supervisors for text in one.failures]
    for text in failures[:20]:
        print(f"fuzz: {text}", file=sys.stderr)
    empty = [one.name for one in supervisors if not one.outcomes]
    if empty:
        print(f"fuzz: no case was run: {', '.join(empty)}", file=sys.stderr)
    return int(bool(failures or empty))


if __name__ == "__main__":
    sys.exit(main())
