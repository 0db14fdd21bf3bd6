"""Every protocol runs from the command line on a tiny setting, and its figures add up."""

from dataclasses import fields, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from generative_ik_benchmarks import machine
from generative_ik_benchmarks import solver as solver_module
from generative_ik_benchmarks.chains import known_cases, serial_case
from generative_ik_benchmarks.cpp_program import install_core
from generative_ik_benchmarks.free_seeds import FreeSeeds
from generative_ik_benchmarks.hard_cases import cluttered_poses
from generative_ik_benchmarks.known_solutions import KnownSolutions
from generative_ik_benchmarks.machine import OtherWork
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.options import options_of
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.prismatic_chains import Joint
from generative_ik_benchmarks.protocols import batches, references
from generative_ik_benchmarks.protocols import seed_value as seed_value_module
from generative_ik_benchmarks.protocols.border import KINDS as BORDER_KINDS
from generative_ik_benchmarks.protocols.border import border_configurations
from generative_ik_benchmarks.protocols.cpp import ASKED
from generative_ik_benchmarks.protocols.leave_one_out import (
    Options,
    measure,
    untrained_variant,
    was_trained_on,
)
from generative_ik_benchmarks.protocols.references import QUICK, SAMPLE, Reference, settings_for
from generative_ik_benchmarks.protocols.registry import PROTOCOLS, load_protocol
from generative_ik_benchmarks.protocols.seed_budgets import SamplerRuns
from generative_ik_benchmarks.protocols.seed_runs import Run, SeedRunner
from generative_ik_benchmarks.protocols.seeds import BESIDE, KNOWN, SeedCallFigures, SeedTable
from generative_ik_benchmarks.protocols.seeds import PLAIN as QUASI_RANDOM
from generative_ik_benchmarks.protocols.seeds_in_scenes import Options as SceneOptions
from generative_ik_benchmarks.protocols.seeds_in_scenes import whole_hand
from generative_ik_benchmarks.protocols.unreachable_poses import (
    FAR,
    JUST,
    KINDS,
    TURNED,
    unreachable_poses,
)
from generative_ik_benchmarks.reference.saturation import pooled_growth
from generative_ik_benchmarks.seeding import available_samplers, seed_samplers
from generative_ik_benchmarks.text import Quartiles
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros import CollisionModel, IKSolver
from generative_ik_ros.cli.main import main
from generative_ik_ros.collision.checker import CollisionChecker
from generative_ik_ros.errors import InvalidArgumentError, MissingDependencyError, UnknownNameError
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.uniform import Uniform

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
PANDA, UR10 = known_cases(["panda", "ur10"])
PLAIN = ["--sampler", "uniform", "--sampler", "quasi_random", "--sampler", "retrieval"]


def _checked(report, out, protocol):
    assert report["protocol"] == protocol and report["false_results"] == 0
    assert report["machine"]["cores"] >= 1 and not report["refused"]
    assert "checked by pinocchio: nothing false" in out and "Machine: " in out
    assert out.count("|") > 20 and "Warm-up" in out


def test_trac_ik(evaluate):
    code, report, out = evaluate("trac-ik", "--robot", "panda", "--poses", "10")
    assert code == 0
    _checked(report, out, "trac-ik")
    (row,) = report["tables"]
    assert row["published"]["trac_ik"] == 99.88 and "62.02" in out
    assert row["ours"]["solved"] == 1.0 and row["ours"]["poses"] == 10
    assert row["ours"]["ratio"]["median"] == 1.0
    assert len(row["peers"]) == 2 or "trac-ik" in row["absent"]


def test_start(evaluate):
    code, report, out = evaluate("start", "--warm", "2", "--cold", "1")
    assert code == 0 and report["false_results"] == 0
    rows = {(row["version"], row["cold"]): row for row in report["tables"][0]["rows"]}
    ours, numpy = rows["ours", False], rows["import numpy", False]
    assert ours["processes"] == numpy["processes"] == 2 and "import numpy" in out
    # Nothing is compiled but bytecode: neither takes long, the first time as every time.
    for row in (ours, rows["ours", True]):
        assert sum(row["stages"]) < row["total"]["median"]
        assert row["stages"][2] < 0.05
    # Two processes each: on a busy machine either may be the sooner one.
    assert 0.5 < ours["ratio"]["median"] < 20.0 and numpy["ratio"]["median"] == 1.0


@pytest.fixture
def cpp_library(tmp_path):
    try:
        return install_core(tmp_path)
    except MissingDependencyError as missing:
        pytest.skip(str(missing))


def test_cpp(evaluate, cpp_library):
    code, report, out = evaluate("cpp", "--poses", "12", "--prefix", str(cpp_library))
    assert code == 0
    _checked(report, out, "cpp")
    assert [table["dof"] for table in report["tables"]] == [7, 6]
    for table in report["tables"]:
        rows = {row["asked"]: row for row in table["rows"]}
        assert list(rows) == list(ASKED)
        for asked, (wanted, _) in ASKED.items():
            python, cpp = rows[asked]["python"], rows[asked]["cpp"]
            # Six joints have as many as there are branches, but for singular poses.
            assert cpp["solutions"] == pytest.approx(python["solutions"], rel=0.1)
            assert table["dof"] == 6 or cpp["solutions"] == python["solutions"] == wanted
            assert 0.0 < cpp["median"] <= cpp["p99"] < 1e5


def test_cpp_without_a_library(tmp_path, capsys):
    assert main(["evaluate", "cpp", "--prefix", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "the C++ program was not built" in said or "CMake" in said


def test_batches(evaluate):
    code, report, out = evaluate(
        "batches", "--robot", "ur10", "--size", "1", "--size", "20", "--rounds", "2"
    )
    assert code == 0
    _checked(report, out, "batches")
    rows = report["tables"][0]["rows"]
    ours = [row for row in rows if row["solver"] == "ours"]
    assert [(row["size"], row["rounds"]) for row in ours] == [(1, 100), (20, 10)]
    assert all(row["solved"] == 1.0 and row["position_p90"] <= 1e-5 for row in ours)
    assert "published" not in out.partition("|")[2]  # nothing for the UR10


def test_batches_beside_published_ones(evaluate):
    words = ["--robot", "panda", "--size", "100", "--size", "2000", "--rounds", "1"]
    code, report, out = evaluate("batches", *words)
    assert code == 0
    published = report["tables"][0]["published"]
    assert [(one["poses"], one["milliseconds"]) for one in published] == [
        (100, 2.6), (100, 6.31), (100, 4.59), (2000, 50.3), (2000, 29.8)
    ]  # fmt: skip
    lines = [line.split("|")[2:6] for line in out.splitlines() if line.startswith("| panda")]
    cells = [[cell.strip() for cell in line] for line in lines]
    assert ["published: cuRobo v2, RTX 6000 Ada", "100", "-", "2.60"] in cells
    assert ["published: PyRoki, RTX 4090", "2000", "100", "29.80"] in cells
    assert ["published: cuRobo v1, RTX 4090", "2000", "99.95", "50.30"] in cells


def test_a_chain_as_a_tree_of_one_tip(evaluate):
    code, report, out = evaluate(
        "trees", "--part", "one_tip", "--robot", "ur10", "--poses", "3", "--batch", "5"
    )
    assert code == 0
    _checked(report, out, "trees")
    (table,) = report["tables"]
    kinds = [(row["targets"], row["wanted"], row["calls"]) for row in table["one_tip"]]
    assert kinds == [(each, wanted, 3) for each in (1, 5) for wanted in (1, 10, 100)]
    assert all(row["different"] == 0 for row in table["one_tip"])


def test_convergence(evaluate):
    code, report, out = evaluate("convergence", "--robot", "panda", "--quick")
    assert code == 0
    _checked(report, out, "convergence")
    quasi_random, mapped = report["tables"][0]["rows"]
    for row in (quasi_random, mapped):
        shares = row["exact_after"]
        assert shares == sorted(shares) and 0.2 < shares[-1] <= 1.0
        assert row["seeds"] == 1000 and row["ns_an_iteration"]["median"] > 0.0
    assert mapped["iterations"] < quasi_random["iterations"]
    assert mapped["exact_after"][-1] > 1.3 * quasi_random["exact_after"][-1]


def test_generative(evaluate):
    words = ["generative", "--robot", "ur10", "--quick", "--poses", "3", *PLAIN]
    code, report, out = evaluate(*words)
    assert code == 0
    _checked(report, out, "generative")
    (table,) = report["tables"]
    assert [row["sampler"] for row in table["rows"]] == PLAIN[1::2]
    for row in table["rows"]:
        raw, refined = row["raw"], row["refined"]
        assert 0 < raw["position"]["p50"] <= raw["position"]["p90"] <= raw["position"]["p99"]
        assert raw["outside"] == 0.0 and 0 < raw["mmd"] < 1.5
        assert 0.1 < refined["converged"] < 1 and refined["iterations"] < 40
        assert 1 <= refined["distinct"] <= 8 and 0.3 < refined["coverage"] <= 1
        assert np.isclose(refined["branch_recall"], refined["coverage"], atol=0.2)
    errors = [row["raw"]["position"]["p50"] for row in table["rows"]]
    assert errors[2] < min(errors[:2])
    assert table["published"][0]["position_mm"] == 5.5


def test_seed_value(evaluate, tmp_path, monkeypatch):
    monkeypatch.setattr(seed_value_module, "ROUND_SIZES", (32, 128))
    words = ["seed-value", "--robot", "panda", "--quick", "--budget", "2", "--budget", "20"]
    code, report, out = evaluate(*words, "--plot-dir", str(tmp_path / "plots"), *PLAIN)
    assert code == 0
    _checked(report, out, "seed-value")
    (table,) = report["tables"]
    assert [one["sampler"] for one in table["samplers"]] == PLAIN[1::2]
    for one in table["samplers"]:
        for seeds in (one["first"], one["all"]):
            assert 0 < seeds["converged"] < 1
            assert seeds["iterations"] <= seeds["iterations_all"] + 5
        assert one["first"]["count"] == 128 <= one["all"]["count"]
        first, last = one["budgets"]
        assert (first["budget"], last["budget"]) == (2e-3, 20e-3)
        # How many of the poses 20 ms suffice for depends on the machine.
        assert last["distinct"] > 0 and 0 < last["coverage"] <= 1
        assert last["distinct_per_ms"] == pytest.approx(last["distinct"] / 20)
        curve = one["distinct_curve"]
        assert len(curve) == len(one["times"]) == len(one["coverage_curve"])
        assert curve == sorted(curve) and one["coverage_curve"] == sorted(one["coverage_curve"])
        assert curve[-1] == pytest.approx(last["distinct"])
    (picture,) = Path(tmp_path / "plots").iterdir()
    assert picture.suffix == ".png" and picture.stat().st_size > 5000


def test_seeds(evaluate, tmp_path):
    words = ["seeds", "--robot", "ur10", "--robot", "panda", "--quick", "--solutions", "20"]
    words += ["--sampler", "capability_map", "--sampler", "distal"]
    code, report, out = evaluate(*words, "--plot-dir", str(tmp_path / "plots"))
    assert code == 0
    _checked(report, out, "seeds")
    ur10, panda = report["tables"]
    assert "distal" in ur10["absent"] and "ur10" in out and "distal: sampler 'distal'" in out
    for table, most in (ur10, 300), (panda, 10_000):
        rows = {row["sampler"]: row for row in table["rows"]}
        assert list(rows)[:2] == ["quasi_random", "capability_map"]
        assert 1 < table["there_are"] <= most and table["auto"] == "closed_form"
        assert rows["quasi_random"]["ratio"]["median"] == 1.0
        for row in table["rows"]:
            assert 0.0 < row["exact"] <= 1.0 and 0.0 <= row["repeats"] < 1.0
            assert row["seconds"]["median"] > 0.0 and 0.3 < row["coverage"] <= 1.0
            assert row["proposing"] + row["selecting"] < 1.0
            assert row["solutions"] == 20.0 and row["iterations"] >= 1.0
        # What knows the answer loses next to no seed and needs no iteration.
        assert rows["known solutions"]["exact"] > max(0.8, rows["quasi_random"]["exact"])
        assert rows["known solutions"]["iterations"] < rows["beside known solutions"]["iterations"]
        assert rows["beside known solutions"]["iterations"] < rows["quasi_random"]["iterations"]
    (picture,) = Path(tmp_path / "plots").iterdir()
    assert picture.suffix == ".png" and picture.stat().st_size > 5000


def test_the_verdict_on_seeds():
    def row(sampler, ratio, covered=0.9, proposing=0.5):
        spread = Quartiles(ratio, ratio, ratio)
        return SeedCallFigures(sampler, spread, 100.0, spread, spread, covered, 100.0, 0.0, 0.5,
                               8.0, 0.6, proposing, 0.1, Violations())  # fmt: skip

    def verdict(*rows, bound=3.0):
        rows = (row(QUASI_RANDOM, 1.0), *rows, row(KNOWN, bound), row(BESIDE, bound - 0.5))
        quality = Reference(10.0, 1.0, 0.0, False, 0.3, 0.5)
        table = SeedTable(
            chain="arm", dof=7, poses=1, repeats=1, wanted=100, there_are=100.0,
            auto=QUASI_RANDOM, reference=quality, rows=rows, absent={},
        )  # fmt: skip
        return table.verdict

    assert verdict(row("ikflow", 2.1), row("map", 1.5)) == "yes, ikflow"
    assert verdict(row("ikflow", 2.1, covered=0.7), row("map", 1.5)).endswith("3.0 times")
    assert verdict(row("ikflow", 2.1, covered=0.7)) == "no: none covers as much"
    assert verdict(row("map", 1.5)) == "no: proposing takes the time, without it 3.0 times"
    why = "no: 60 % of its finds are repeats, without the time to propose 1.8 times"
    assert verdict(row("map", 0.9)) == why
    assert "not even the solutions themselves" in verdict(row("map", 1.4), bound=1.8)
    assert verdict() == "no sampler for this chain"


def test_a_sampler_that_knows_the_solutions():
    chain = PANDA.chain
    target = random_reachable_poses(chain, 1, 3)[0]
    solutions = IKSolver(chain).solve(target, 30).of(0)
    sampler = KnownSolutions(chain, 0.0, 0.05)
    with pytest.raises(InvalidArgumentError, match="without a known solution"):
        sampler.know(target, solutions[:0], 40, 1)
    sampler.know(target, solutions, 40, 1)
    request = SeedRequest(target[None], 40, chain.lower, chain.upper, 0)
    seeds = sampler.propose(request)[0]
    np.testing.assert_array_equal(seeds, solutions[np.arange(40) % 30])
    later = sampler.propose(replace(request, first=35, count=10))[0]
    np.testing.assert_array_equal(later, seeds[np.arange(35, 45) % 40])
    aside = KnownSolutions(chain, 0.01, 0.05)
    aside.know(target, solutions, 40, 1)
    gaps = np.abs(aside.propose(request)[0] - seeds)
    assert 0.0 < gaps.max() <= 0.01
    found = IKSolver(chain, sampler).solve(target, 30)
    assert found.counts[0] == 30 and found.sampler == "known"
    assert found.timings.exact > 0.7 * found.timings.seeds


def test_poses_in_clutter_and_seeds_that_are_free_there():
    pytest.importorskip("coal")
    (case,) = whole_hand(
        known_cases(["panda_left_finger"]), options_of(SceneOptions, {}, quick=True)
    )
    model = CollisionModel.from_urdf(case.urdf_path, package_dirs=case.package_dirs)
    chain = case.chain
    (pose,) = cluttered_poses(model, chain, 1, 0.2, 5)
    check = CollisionChecker(model, chain).at(pose.scene)
    everything = IKSolver(chain).solve(pose.target, 10_000).of(0)
    free = [q for q in everything if not check.collides(q)]
    np.testing.assert_array_equal(free, pose.free)
    assert len(free) >= 3 and pose.share == len(free) / len(everything) <= 0.2

    class Asked(IKFlow):
        requests: ClassVar[list[SeedRequest]] = []

        def propose(self, request):
            self.requests.append(request)
            return super().propose(request)

    flow, count = Asked(chain), len(free)
    once = FreeSeeds(flow, 0.0, True, False, pose.free)
    request = SeedRequest(pose.target[None], 2 * count, chain.lower, chain.upper, 3)
    seeds = once.propose(request)[0]
    for part in (seeds[:count], seeds[count:]):
        assert sorted(map(tuple, part)) == sorted(map(tuple, pose.free))
    later = once.propose(replace(request, first=2, count=count))[0]
    np.testing.assert_array_equal(later, seeds[2 : count + 2])
    drawn = FreeSeeds(flow, 0.03, False, True, pose.free).propose(request)[0]
    nearest = np.abs(drawn[:, None] - pose.free).max(axis=-1).min(axis=1)
    assert 0.0 < nearest.max() < 0.2 and np.median(nearest) < 0.1
    # Only the last ones cost what a flow's do.
    assert len(flow.requests) == 1 and flow.requests[0] is request


def test_clutter_around_poses_with_few_solutions_is_refused():
    pytest.importorskip("coal")
    (case,) = known_cases(["ur5_limited"])
    model = CollisionModel.from_urdf(case.source, package_dirs=case.package_dirs)
    with pytest.raises(InvalidArgumentError, match="3 or more free solutions .* at most 10 %"):
        next(cluttered_poses(model, case.chain, 1, 0.1, 5))


def test_leave_one_out(evaluate):
    code, report, out = evaluate("leave-one-out", "--robot", "ur10", "--quick", *PLAIN)
    assert code == 0
    _checked(report, out, "leave-one-out")
    (table,) = report["tables"]
    assert len(table["rows"]) == 3 and table["samples"] == 32


def test_a_sampler_that_knows_the_chain_is_left_out(monkeypatch):
    sampler = Uniform(UR10.chain)
    assert not was_trained_on("uniform", sampler, UR10.chain)
    monkeypatch.setattr(Uniform, "trained_on", (UR10.chain.fingerprint,), raising=False)
    assert was_trained_on("uniform", sampler, UR10.chain)
    assert not was_trained_on("uniform", sampler, PANDA.chain)
    options = Options(poses=1, samples=4, samplers=("uniform",), reference=QUICK)
    table = measure(UR10, options, lambda: None)
    assert table.rows == () and table.absent == {"uniform": "was trained on this chain"}


def test_the_closed_form_is_no_sampler_of_seeds():
    samplers, absent = seed_samplers(PANDA.chain, ["closed_form", "quasi_random"])
    assert list(samplers) == ["quasi_random"]
    assert absent == {"closed_form": "its seeds are those of quasi_random"}
    assert "closed_form" in available_samplers(PANDA.chain, ["closed_form"])[0]
    samplers, absent = seed_samplers(PANDA.chain, ["closed_form"])
    assert not samplers and list(absent) == ["closed_form"]
    # Nor is it named where it was not asked for.
    assert seed_samplers(PANDA.chain, ["uniform"])[1] == {}


def test_weights_that_never_saw_the_chain_stand_in():
    pytest.importorskip("torch", reason="a learned sampler")
    knowing, absent = available_samplers(PANDA.chain, ["ggik"])
    assert not absent and was_trained_on("ggik", knowing["ggik"], PANDA.chain)
    other = untrained_variant("ggik", PANDA.chain)
    assert other is not None and not was_trained_on("ggik", other, PANDA.chain)
    # Weights of a single chain are for no other, and samplers without weights need none.
    assert (
        untrained_variant("ikflow", PANDA.chain) is None
        and untrained_variant("uniform", PANDA.chain) is None
    )


def test_unreachable(evaluate):
    code, report, out = evaluate("unreachable", "--robot", "ur10", "--poses", "2")
    assert code == 0
    _checked(report, out, "unreachable")
    (table,) = report["tables"]
    ours = [row for row in table["rows"] if row["solver"] == "ours"]
    assert [row["kind"] for row in ours] == list(KINDS)
    for row in ours:
        assert row["false_successes"] == 0 and row["rejected"] == 1.0 and row["poses"] == 2
        assert 0.99 < row["excess"]["median"] < 1.05
    assert ours[1]["position_error"]["median"] == pytest.approx(0.02, rel=1e-3)


def test_border(evaluate):
    robots = ["--robot", "ur10", "--robot", "panda"]
    code, report, out = evaluate("border", *robots, "--poses", "20", "--seeds", "2")
    assert code == 0 and "0 of 480" in out
    _checked(report, out, "border")
    ur10, panda = report["tables"]
    for table in (ur10, panda):
        assert [row["kind"] for row in table["rows"]] == list(BORDER_KINDS)
        assert table["rejected"] == 20 and 0.2 < table["reached"] < 0.95
        assert 0.0 < table["batch"] < 1e4
    # A closed form says that there is none; a search is given up when restarts have shown it.
    assert ur10["restarts"] == 0.0 and 60 <= panda["restarts"] < 512
    assert panda["solved"] < panda["batch"]


@pytest.mark.parametrize("robot", ["compi", "lift_and_scara"])
def test_branches(evaluate, robot):
    code, report, out = evaluate("branches", "--robot", robot, "--poses", "100", "--seeds", "40")
    assert code == 0 and "0 missed, 0 false" in out
    _checked(report, out, "branches")
    (table,) = report["tables"]
    marked = {row["kind"]: row["marked"] / row["poses"] for row in table["rows"]}
    assert marked["anywhere"] < 0.1 and marked["singular"] == 1.0 and marked["1e-3 rad"] < 0.5
    assert table["rejected"] == 100 and "spherical wrist" in table["family"]
    solvers = [calls["solver"] for calls in table["calls"]]
    peers = [name for name in ("ssik", "eaik") if name not in table["absent"]]
    assert solvers == ["ours", *peers] and (len(peers) == 2 or robot != "compi")
    for calls in table["calls"]:
        assert 1.0 < calls["call"] < 1e5 and 0.1 < calls["batch"] < 1e5
    assert 0.1 < table["refusal"] < 1e4


def test_curves(evaluate, refused):
    robots = ["--robot", "ur10", "--robot", "iiwa"]
    code, report, out = evaluate("curves", "--quick", *robots, "--solutions", "100")
    assert code == 0 and "| iiwa" in out
    _checked(report, out, "curves")
    # Six joints have no curves.
    (table,) = report["tables"]
    rows = {row["solver"]: row for row in table["rows"]}
    assert rows.keys() - {"ssik"} == {"ours", "our search"} and table["dof"] == 7
    assert ("ssik" in rows) != ("ssik" in table["absent"])
    for row in rows.values():
        assert row["wanted"] == 100 and 0.5 < row["coverage"] <= 1.0 and row["distinct"] > 30
        assert 1.0 < row["batch"] < 1e5 and 1.0 < row["call"] < 1e5
    assert rows["ours"]["distinct"] == rows["our search"]["distinct"] == 100.0
    assert rows["ours"]["call"] < rows["our search"]["call"]
    refused("evaluate", "curves", "--quick", "--robot", "ur10", says="no such closed form")


def test_tracking(evaluate):
    code, report, out = evaluate("tracking", "--quick", "--robot", "ur10")
    assert code == 0 and "| ur10" in out
    _checked(report, out, "tracking")
    (table,) = report["tables"]
    rows = {row["course"]: row for row in table["rows"] if row["solver"] == "ours"}
    assert {"circle", "jumps", "out of reach"} <= rows.keys()
    for row in rows.values():
        assert row["velocity"] <= 1.0 + 1e-6 and row["acceleration"] <= 1.0 + 1e-6
        assert row["violations"]["outside"] == row["flips"] == 0 and 0.1 < row["median"] < 1e5
    assert rows["through singularities"]["median_error"] < 1e-5 < rows["jumps"]["mean_error"]


@pytest.mark.parametrize("kind", BORDER_KINDS)
def test_border_configurations_are_what_they_are_called(kind):
    chain = PANDA.chain
    drawn = border_configurations(chain, kind, 200, 3)
    assert ((drawn >= chain.lower) & (drawn <= chain.upper)).all()
    gap = np.minimum(drawn - chain.lower, chain.upper - drawn) / (chain.upper - chain.lower)
    near, at = (gap <= 1e-3).mean(), (gap == 0.0).mean()
    expected = {"near limits": 0.5, "at limits": 0.5, "corners": 1.0}.get(kind, 0.0)
    assert near == pytest.approx(expected, abs=0.06)
    assert at == pytest.approx(0.5 if kind == "at limits" else 0.0, abs=0.06)
    tips = np.linalg.norm(chain.forward(drawn)[:, :3, 3] - [0.0, 0.0, 0.333], axis=1)
    jacobians = np.array([chain.jacobian(row) for row in drawn])
    least = np.linalg.svd(jacobians, compute_uv=False)[:, -1]
    if kind == "far":
        assert np.median(tips) > 0.9
    if kind == "singular":
        assert np.median(least) < 0.03
    if kind == "anywhere":
        assert np.median(tips) < 0.8 and np.median(least) > 0.06


def test_false_successes_end_with_1(monkeypatch, capsys):
    class Liar(solver_module.IKSolver):
        def solve(self, *words, **options):
            found = super().solve(*words, **options)
            found.counts[:] = 1
            found.positions[:, 0] = 0.1
            return found

    monkeypatch.setattr(solver_module, "IKSolver", Liar)
    assert main(["evaluate", "unreachable", "--robot", "panda", "--poses", "1"]) == 1
    assert "3 false results" in capsys.readouterr().out


def test_peers(evaluate):
    words = ["peers", "--robot", "ur10", "--quick", "--poses", "2", "--solutions", "8"]
    code, report, out = evaluate(*words, "--peer", "analytic", "--peer", "dls-uniform")
    assert code == 0
    _checked(report, out, "peers")
    rows = {row["figures"]["solver"]: row for row in report["tables"][0]["rows"]}
    assert list(rows) == ["ours, 8", "ours, 1", "closed form", "DLS, uniform"]
    assert rows["closed form"]["coverage"] == 1.0
    assert rows["closed form"]["distinct"] >= rows["ours, 1"]["distinct"] == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_unreachable_poses_are_unreachable(kind):
    chain = PANDA.chain
    made = unreachable_poses(chain, kind, 2, 1)
    assert made.targets.shape == (2, 4, 4) and made.shortage == "" and (made.least > 0).all()
    first = chain.joint_origins[0, :3, 3]
    distance = np.linalg.norm(made.targets[:, :3, 3] - first, axis=1)
    assert (distance > 1.9 * chain.reach).all() if kind == FAR else (distance < chain.reach).all()
    if kind == JUST:
        beyond = made.weighted(chain, np.full(2, 0.02), np.zeros(2))
        assert np.allclose(beyond, made.least, rtol=0.1)
    if kind == TURNED:
        assert (made.least >= 1e-2).all()


def test_runs_by_hand():
    run = Run(
        np.eye(4),
        np.array([[0.0], [1.0], [2.0]]),
        np.array([1.0, 2.0, 4.0]),
        np.array([10, 20, 30]),
        np.array([1, 4, 9]),
        np.array([1, 2, 3]),
        np.array([30, 60, 100]),
        np.array([10, 20, 40]),
        2.0,
    )
    assert [run.distinct_by(t) for t in (0.5, 1.0, 3.9, 4.0, 9.0)] == [0, 1, 2, 3, 3]
    assert run.time == 4.0
    space = JointSpace(np.array([False]), np.ones(1))
    reference = np.array([[0.1], [1.9], [1.4], [5.0]])
    assert run.reached_at(space, reference, 0.5).tolist() == [1.0, 4.0, 2.0, np.inf]
    slow = Run(**{**vars(run), "ends": np.array([3.0, 6.0, 12.0]), "propose_time": 6.0})
    middle = Run.median([run, slow, run])
    assert middle.ends.tolist() == [1.0, 2.0, 4.0] and middle.propose_time == 2.0
    here, there = (Run(**{**vars(run), "ends": np.array(e)}) for e in ([5, 6, 8.0], [1, 9, 11.0]))
    assert Run.median([run, here, there]).ends.tolist() == [1.0, 2.0, 4.0]
    disturbed = Run(**{name: cut(vars(run)[name]) for name in vars(run)})
    assert Run.median([run, disturbed, run]).ends.tolist() == [1.0, 2.0, 4.0]
    late = Run.median([disturbed, run, disturbed])
    assert late.ends.tolist() == [1.0, np.inf, np.inf] and late.time == 1.0
    assert late.distinct_by(9.0) == 1


def cut(value):
    """Return what is left of a run's field after one round."""
    return value[:1] if isinstance(value, np.ndarray) and len(value) == 3 else value


def test_each_time_gets_its_best_round_size():
    def run(size, ends, found):
        rounds = np.arange(1, len(ends) + 1)
        distinct = np.array(found)
        positions = np.arange(float(distinct[-1]))[:, None]
        return Run(np.eye(4), positions, np.array(ends), size * rounds, distinct, distinct,
                   8 * size * rounds, 5 * distinct, 0.5 * ends[-1])  # fmt: skip

    # Small rounds are early, large ones find more; on the second pose the large one is late.
    runs = {
        32: [run(32, [1.0, 2.0, 3.0], [2, 3, 4]), run(32, [1.0, 2.0, 3.0], [1, 2, 3])],
        128: [run(128, [1.5, 3.0], [4, 8]), run(128, [2.5, 5.0], [4, 8])],
    }
    space = JointSpace(np.array([False]), np.ones(1))
    solutions = [np.arange(8.0)[:, None], np.arange(4.0)[:, None]]
    mine = SamplerRuns(runs, space, solutions, 0.1)
    assert [mine.best_size(t) for t in (0.5, 1.0, 2.0, 2.5, 3.0)] == [32, 32, 32, 128, 128]
    assert mine.distinct(2.0).tolist() == [3, 2] and mine.distinct(3.0).tolist() == [8, 4]
    assert mine.coverage(2.0) == (3 / 8 + 2 / 4) / 2
    assert mine.coverage(2.5) == (4 / 8 + 4 / 4) / 2
    figures = mine.figures(2.5, np.array([2.0, 0.0]))
    assert figures.distinct == 4.0
    assert figures.distinct_per_ms == pytest.approx(4 / 2500)
    assert (figures.ratio.low, figures.ratio.high) == (2.5, 3.5)  # 4 / 2 and 4 / 1


def test_runs_are_the_same_whatever_the_rounds():
    case, chain = PANDA, PANDA.chain
    target = random_reachable_poses(chain, 1, 1)[0]
    runner = SeedRunner(case, Oracle.of(case), 1)
    samplers, _ = available_samplers(chain, ["uniform"])
    small, large = (runner.run(samplers["uniform"], target, size, 1.0) for size in (32, 64))
    count = min(small.distinct_after[9], large.distinct_after[4])
    assert small.seeds_after[9] == large.seeds_after[4] == 320
    assert small.distinct_after[9] == large.distinct_after[4] > 10
    assert (small.positions[:count] == large.positions[:count]).all()
    assert runner.check([small, large]).total == 0


def test_the_spacing_is_the_finest_that_saturates(monkeypatch):
    small = replace(references.STANDARD, first_seeds=2**10, max_seeds=2**12, max_thinned=100)
    monkeypatch.setattr(references, "STANDARD", small)
    poses = random_reachable_poses(UR10.chain, 1, 1)
    assert settings_for(UR10.chain, poses).thin_distance == 0.3
    # Twelve free turns: six dimensions of solutions, which nothing but a sample can stand for.
    axes = ("0 0 1", "0 1 0", "1 0 0") * 4
    limits = "lower='-2' upper='2'"
    eel = serial_case("eel", [Joint("revolute", "0 0 0.1", axis, limits) for axis in axes])
    poses = random_reachable_poses(eel.chain, 1, 1)
    assert settings_for(eel.chain, poses) == SAMPLE
    # A sample is not thinned, and what twice the effort finds is near what is known.
    few = replace(SAMPLE, thin_distance=2.0, first_seeds=2**12, max_seeds=2**14)
    (one,), quality = references.reference_of(eel.chain, poses, few)
    assert quality.sampled and quality.size == len(one.thinned) == 2000
    assert quality.growth < 0.1 and pooled_growth([one]) > 0.1
    np.testing.assert_array_equal(one.thinned, one.dense[:2000])


def test_files_become_one_table_and_pictures(evaluate, tmp_path, capsys):
    for protocol, words in (("seed-value", ["--budget", "2"]), ("seeds", [])):
        evaluate(protocol, "--robot", "ur10", "--quick", "--poses", "1", *words, *PLAIN[:2])
    value, seeds = (str(tmp_path / f"{name}.json") for name in ("seed-value", "seeds"))
    assert main(["evaluate", "table", value, value, "--plot-dir", str(tmp_path / "p")]) == 0
    out = capsys.readouterr().out
    assert out.count("Distinct exact solutions") == 1 and out.count("| uniform |") == 6
    assert len(list((tmp_path / "p").glob("*.png"))) == 1
    assert main(["evaluate", "table", seeds, "--plot-dir", str(tmp_path / "s")]) == 0
    assert [one.name for one in (tmp_path / "s").iterdir()] == ["seeds-gains.png"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("no JSON", "Expecting value"),
        ("[]", "list indices"),
        ('{"protocol": "x", "tables": [1]}', "there is no 'x'"),
        ('{"protocol": "peers"}', "there is no 'tables'"),
        ('{"protocol": "peers", "tables": [{"chain": "a"}]}', "there is no 'dof'; what another"),
    ],
)
def test_files_that_are_no_reports_are_refused(content, says, tmp_path, refused):
    (tmp_path / "a.json").write_text(content)
    error = refused("evaluate", "table", tmp_path / "a.json", says="is no report").err
    assert "leave-one-out" in error and says in error
    refused("evaluate", "table", tmp_path / "b.json")


def test_other_work_is_seen(monkeypatch):
    ticks = iter([(10.0, 100.0), (30.0, 140.0), (0.0, 0.0), (0.0, 0.0)])
    with monkeypatch.context() as context:
        context.setattr(machine, "_clock_ticks", lambda: next(ticks))
        assert OtherWork().share() == 0.5
        assert np.isnan(OtherWork().share())
    # What this process does is not other work.
    busy, _ = machine._clock_ticks()
    monkeypatch.setattr(machine.os, "times", lambda: (1e6, 0.0, 0.0, 0.0, 0.0))
    assert machine._clock_ticks()[0] < busy - 1e7


def test_options_of_a_protocol():
    defaults = options_of(batches.Options, {}, quick=False)
    assert defaults == batches.Options() and defaults.sizes == (1, 10, 100, 1000, 2000)
    given = {"sizes": [3, 4], "rounds": None, "sampler": "uniform", "random_seed": 5}
    first_look = options_of(batches.Options, given, quick=True)
    assert first_look == batches.Options(sizes=(3, 4), rounds=2, sampler="uniform", random_seed=5)
    with pytest.raises(UnknownNameError, match="unknown sampler 'crystal'"):
        options_of(batches.Options, {"sampler": "crystal"}, quick=False)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_explains_its_options(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    protocol = load_protocol(name)
    assert main(["evaluate", name, "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for each in fields(protocol.options):
        if "help" in each.metadata:
            flag = each.metadata["flag"] or f"--{each.name.replace('_', '-')}"
            assert flag.partition("/")[0] in out
            assert each.metadata["help"][:20] in out
    for flag in ("--robots-dir", "--robot", "--random-seed", "--quick", "--json"):
        assert flag in out
    assert ("--plot-dir" in out) == (protocol.plot is not None)
    assert PROTOCOLS[name][:30] in out


MISUSES = {
    "no protocol": ([], "Missing command"),
    "unknown protocol": (["beauty"], "No such command 'beauty'"),
    "no poses": (["reachability", "--poses", "0"], "--poses"),
    "unknown sampler": (["seed-value", "--sampler", "crystal"], "unknown sampler 'crystal'"),
    "unknown peer": (["peers", "--peer", "kdl"], "unknown peer 'kdl'; choose from: trac-ik, ssik"),
    "unknown robot": (["unreachable", "--robot", "r2d2"], "unknown robot 'r2d2'"),
    "no such folder": (["batches", "--robots-dir", "nowhere"], "cannot read SOURCES.md"),
    "nowhere to write": (["generative", "--json", "no/such/a.json"], "cannot write"),
    "plots into a file": (["seed-value", "--plot-dir", "/dev/null/plots"], "--plot-dir"),
    "no budget": (["seed-value", "--budget", "0"], "--budget"),
    "no package": (["start", "--beside", "."], "generative_ik_ros"),
    "no such robots": (["robots", "--folder", "nowhere"], "there is no such folder"),
    "no scenes": (["collisions", "--scenes-dir", "."], "--scenes-dir"),
    "no spheres": (["collisions", "--curobo-dir", "."], "--curobo-dir"),
    "no paths": (["paths"], "--problems-dir"),
    "no such paths": (["paths", "--problems-dir", "nowhere"], "--problems-dir"),
    "unknown part of paths": (["paths", "--part", "paths"], "problems"),
    "unknown axis": (["scale", "--axis", "weight"], "joints, solutions, targets, cores"),
    "unknown sampler to scale": (["scale", "--sampler", "magic"], "unknown sampler 'magic'"),
}


@pytest.mark.parametrize("name", MISUSES)
def test_misuse_is_one_line_and_exit_code_2(name, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words, fragment = MISUSES[name]
    refused("evaluate", *words, says=fragment)
