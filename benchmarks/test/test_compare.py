"""Times of two commits: which figures are compared, and what is kept of an interrupted run."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from generative_ik_benchmarks.text import Quartiles
from generative_ik_benchmarks.time_figures import Comparison, compare, time_figures

SCRIPT = Path(__file__).resolve().parents[1] / "compare.py"


def batches(scale, **more):
    """A report of the protocol `batches` on one chain: two sizes of ours, one of another."""

    def row(solver, size, seconds):
        quartiles = {"low": 0.9 * seconds, "median": seconds, "high": 1.1 * seconds}
        return {"solver": solver, "size": size, "rounds": 5, "seconds": quartiles, "solved": 1.0}

    rows = [row("ours", 1, 1e-5 * scale), row("ours", 10, 1e-4), row("TRAC-IK", 1, 1e-3)]
    published = [{"solver": "cuRobo", "milliseconds": 3.0}]
    table = {"chain": "panda: a -> b", "dof": 7, "rows": rows, "published": published, **more}
    return {"protocol": "batches", "tables": [table]}


def test_times_have_the_names_of_their_rows():
    assert time_figures(batches(1.0)) == {
        ("panda: a -> b", "size 1", "ours", "seconds"): 1e-5,
        ("panda: a -> b", "size 10", "ours", "seconds"): 1e-4,
        ("panda: a -> b", "size 1", "TRAC-IK", "seconds"): 1e-3,
        ("panda: a -> b", "cuRobo", "milliseconds"): 3.0,
    }


def test_rows_have_the_names_of_what_is_in_them():
    def row(solver, median):
        return {"figures": {"solver": solver, "poses": 5, "median": median}, "microseconds": 2.0}

    report = {"chain": "panda", "rows": [row("ours", 1e-3), row("TRAC-IK, mid", 2e-3)]}
    assert time_figures({"protocol": "peers", "tables": [report]}) == {
        ("panda", "ours", "median"): 1e-3,
        ("panda", "ours", "microseconds"): 2.0,
        ("panda", "TRAC-IK, mid", "median"): 2e-3,
        ("panda", "TRAC-IK, mid", "microseconds"): 2.0,
    }


def test_a_rate_counts_as_the_time_of_one():
    rates = [{"solver": "ours", "per_second": 2e5, "exact_per_second": None, "solutions": 99.0}]
    report = {"protocol": "throughput", "tables": [{"chain": "panda", "rates": rates}]}
    assert time_figures(report) == {("panda", "ours", "per_second"): 5e-6}


def test_ratios_are_of_the_same_round_and_of_figures_that_both_have():
    ours = [time_figures(batches(scale)) for scale in (4.0, 6.0, 10.0)]
    others = [time_figures(batches(scale, unknown=1)) for scale in (2.0, 1.5, 4.0)]
    for figures in others:
        del figures["panda: a -> b", "size 10", "ours", "seconds"]
    (row,) = compare(ours, others)  # the published one, and that of TRAC-IK, never change
    assert row.name == ("panda: a -> b", "size 1", "ours", "seconds")
    assert (row.ratio.low, row.ratio.median, row.ratio.high) == pytest.approx((2.25, 2.5, 3.25))
    assert row.fastest == pytest.approx(4.0 / 1.5)
    assert compare([], []) == []


@pytest.mark.parametrize(
    ("low", "fastest", "high", "mark"),
    [
        (1.2, 1.2, 1.3, "slower"),
        (1.2, 1.0, 1.3, ""),
        (1.0, 1.2, 1.3, ""),
        (0.7, 0.9, 0.8, "faster"),
        (0.7, 1.0, 0.8, ""),
        (0.7, 0.9, 1.0, ""),
    ],
)
def test_a_row_is_marked_if_quartiles_and_fastest_rounds_agree(script, low, fastest, high, mark):
    ratio = Quartiles.of(np.array([low, low, high, high]))
    row = Comparison(("panda: a -> b", "ours", "seconds"), ratio, fastest)
    assert script._cells(row, marked=True)[-1] == mark
    assert script._cells(row, marked=False)[-1] == ""


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("compare_script", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "compare_script", module)
    spec.loader.exec_module(module)
    return module


def test_whole_rounds_survive_an_interruption(script, monkeypatch, capsys):
    calls = []

    class Fake(script.Version):
        def build(self):
            pass

        def measure(self, protocol, options):
            calls.append(self.name)
            if len(calls) == 6:
                raise KeyboardInterrupt
            return time_figures(batches(2.0 + 0.01 * len(calls) if self.name == "HEAD" else 1.0))

    monkeypatch.setattr(script, "Version", Fake)
    monkeypatch.setattr(script, "checked_out", lambda ref: Fake(ref, SCRIPT.parent))
    monkeypatch.setattr("sys.argv", ["compare.py", "HEAD", "--protocol", "batches"])
    assert script.main() == 130
    told = capsys.readouterr()
    assert "batches, 2 rounds" in told.out and "interrupted" in told.err
    assert calls == ["this checkout", "HEAD", "HEAD", "this checkout", "this checkout", "HEAD"]
