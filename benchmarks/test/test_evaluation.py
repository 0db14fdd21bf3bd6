"""The benchmarks themselves: independent truth agrees, violations are found, tables are real."""

import json
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from generative_ik_benchmarks.chains import (
    STANDARD,
    ChainCase,
    chosen_cases,
    known_cases,
    listed_cases,
)
from generative_ik_benchmarks.interleaved import checker_of
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.protocols import reachability, throughput
from generative_ik_benchmarks.robots import EXAMPLE_ROBOTS, example_robots_folder
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_benchmarks.verification import (
    Checker,
    Violations,
    rotation_angle,
)
from generative_ik_ros.cli.main import main
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.robot.random_poses import random_configurations, random_reachable_poses

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
needs_trac_ik = pytest.mark.skipif(
    find_spec("pytracik") is None, reason="pytracik is not installed"
)
MIMIC = """<robot name="mimic"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<joint name="lead" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.3"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
<safety_controller k_velocity="1"/></joint>
<joint name="follow" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0.2 0 0"/>
<axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/>
<mimic joint="lead" multiplier="-2" offset="0.3"/></joint>
<joint name="free" type="revolute"><parent link="c"/><child link="d"/><origin xyz="0 0.1 0"/>
<axis xyz="0 0 1"/></joint></robot>"""


@pytest.fixture(scope="module")
def panda():
    return known_cases(["panda"])[0]


@pytest.fixture(scope="module")
def checker(panda):
    return Checker(Oracle.of(panda), panda.chain, 1e-5, 1e-5)


@pytest.fixture
def mimic(tmp_path):
    file = tmp_path / "mimic.urdf"
    file.write_text(MIMIC)
    return ChainCase("mimic", file, "a", "d")


needs_example_robots = pytest.mark.skipif(
    example_robots_folder() is None, reason="needs: pip install example-robot-data"
)


@needs_example_robots
def test_the_standard_chains():
    joints = [case.chain.num_joints for case in chosen_cases(None, [])]
    assert joints == [7, 6, 7, 7, 6, 6, 8, 15] and len(STANDARD) == 8
    everything = chosen_cases(None, ["all"])
    assert everything == chosen_cases(None, [], ("all",)) == known_cases()
    assert len({case.robot for case in everything}) == len(everything) > 45


@needs_example_robots
def test_example_robots_are_of_every_kind():
    chains = {case.robot: case.chain for case in known_cases(list(EXAMPLE_ROBOTS))}
    counts = {chain.num_joints for chain in chains.values()}
    assert counts >= {2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16, 19}
    assert chains["kinova"].continuous.tolist() == [True, False, False, True, False, True]
    assert chains["tiago"].prismatic.tolist() == [True] + [False] * 7
    assert len(chains["panda_right_finger"].joint_axes) == 8  # the finger follows the other one
    assert chains["solo12_leg"].upper.min() == 10.0
    fingerprints = {chain.fingerprint for chain in chains.values()}
    assert len(fingerprints) == len(chains)


def test_without_the_example_robots(monkeypatch, refused):
    import generative_ik_benchmarks.chains as chains_module
    import generative_ik_benchmarks.robots as robots_module

    for module in (chains_module, robots_module):
        monkeypatch.setattr(module, "example_robots_folder", lambda: None)
    robots = [case.robot for case in chosen_cases(None, [])]
    assert robots == ["panda", "ur10", "iiwa", "lwa4d", "lwa4p", "atlas_foot_to_hand"]
    assert "planar_3r" in [case.robot for case in known_cases()]
    words = ["evaluate", "reachability", "--robot", "ur5", "--poses", "1"]
    refused(*words, says="pip install example-robot-data")


@pytest.mark.parametrize("case", known_cases(), ids=lambda case: case.label)
def test_oracle_agrees_with_the_chain(case):
    positions = random_configurations(case.chain, 5, 1)
    truth = Oracle.of(case).forward(positions)
    assert np.abs(truth - case.chain.forward(positions)).max() < 1e-12


def test_oracle_follows_mimics_and_reads_joints_without_limits(mimic):
    positions = random_configurations(mimic.chain, 5, 1)
    assert mimic.chain.joint_names == ["lead", "free"]
    truth = Oracle.of(mimic).forward(positions)
    assert np.abs(truth - mimic.chain.forward(positions)).max() < 1e-12


@pytest.mark.parametrize("protocol", ["preferences", "start", "tracking"])
def test_arms_without_a_file_are_measured(protocol, capsys):
    assert main(["evaluate", protocol, "--robot", "stanford", "--quick"]) == 0
    assert "checked by pinocchio: nothing false" in capsys.readouterr().out


def test_poses_come_from_the_seed(panda):
    one, again = (random_reachable_poses(panda.chain, 4, 5) for _ in range(2))
    assert (one == again).all()
    assert not np.allclose(one, random_reachable_poses(panda.chain, 4, 6))
    assert not np.allclose(
        random_reachable_poses(panda.chain, 1, None), random_reachable_poses(panda.chain, 1, None)
    )


def test_rotation_angle_by_hand():
    angles = np.array([0.0, 1e-9, 0.3, np.pi / 2, np.pi])
    turned = np.tile(np.eye(4), (5, 1, 1))
    turned[:, 0, 0] = turned[:, 1, 1] = np.cos(angles)
    turned[:, 1, 0], turned[:, 0, 1] = np.sin(angles), -np.sin(angles)
    assert np.allclose(rotation_angle(turned, np.eye(4)), angles, rtol=1e-7, atol=1e-16)


def test_full_turns_may_count_as_the_same():
    (ur10,) = known_cases(["ur10"])
    checker = Checker(Oracle.of(ur10), ur10.chain, 1e-5, 1e-5)
    one = np.array([0.1, 0.2, 0.3, 3.14, 0.5, 0.6])
    positions = np.stack([one, one + [2 * np.pi, 0, 0, 0, 0, 0], one - [0, 0, 0, 2 * np.pi, 0, 0]])
    assert checker.distinct(positions, 0.05).tolist() == [True, True, True]
    assert checker.distinct(positions, 0.05, whole_turns=False).tolist() == [True, False, False]


def test_violations_are_found(panda, checker):
    good = random_configurations(panda.chain, 1, 1)
    target = panda.chain.forward(good)[0]
    assert checker.violations(target, good) == Violations()
    assert checker.violations(target, np.empty((0, 7))) == Violations()
    moved = good + [0, 0, 0, 0, 0, 2e-5, 0]
    assert checker.violations(target, moved) == Violations(wrong=1)
    assert checker.violations(target, np.concatenate([good, good + 1e-6])) == Violations(
        duplicates=1
    )
    past = good.copy()
    past[0, 0] = panda.chain.upper[0] + 1e-6
    assert checker.violations(panda.chain.forward(past)[0], past) == Violations(outside=1)
    assert (Violations(1, 2, 3) + Violations(wrong=1)).total == 7


def test_reachability_of_the_panda(panda):
    done = []
    options = reachability.Options(poses=5)
    table = reachability.measure(panda, options, lambda: done.append(1))
    assert len(done) == 5 and table.dof == 7 and table.violations.total == 0
    many, one = table.ours
    assert many.solved == one.solved == 1.0 and many.solutions == 20 and one.solutions == 1
    assert 0 < many.median <= many.p99
    assert len(table.peers) == 2 or "trac-ik" in table.absent


def test_reachability_counts_what_is_false(panda, monkeypatch):
    class Liar(reachability.PackageSolver):
        def solve(self, tip_in_base):
            return np.full((2, 7), 0.1)

    monkeypatch.setattr(reachability, "PackageSolver", Liar)
    table = reachability.measure(panda, reachability.Options(poses=2, peers=()), lambda: None)
    # Twice the same, off the pose, and joint 4 beyond its limit; two poses, two solvers.
    assert table.violations == Violations(wrong=8, outside=8, duplicates=4)
    assert table.ours[0].solved == 0.0


def test_a_refused_chain_is_named_with_the_reason(tmp_path, capsys):
    (tmp_path / "bad.urdf").write_text("<robot name='x'><link name='a'/></robot>")
    row = "| bad.urdf | x | y | `a` | `b` | 1 | R |\n"
    (tmp_path / "SOURCES.md").write_text(row)
    assert main(["evaluate", "reachability", "--robots-dir", str(tmp_path), "--poses", "1"]) == 0
    out = capsys.readouterr().out
    assert "bad.urdf: a -> b: refused: unknown link 'b'" in out


@needs_trac_ik
def test_trac_ik_solves_and_is_checked(panda):
    # Long enough on any machine: its own deadline is 5 ms.
    solver = TracIK(panda, "mid", timeout=0.5)
    checker = checker_of(solver, panda, Oracle.of(panda))
    targets = random_reachable_poses(panda.chain, 20, 1)
    found = [solver.solve(target) for target in targets]
    assert sum(len(positions) for positions in found) >= 15
    for target, positions in zip(targets, found, strict=True):
        assert checker.violations(target, positions) == Violations()
    far = targets[0].copy()
    far[0, 3] = 9.0
    assert solver.solve(far).shape == (0, 7)


@needs_trac_ik
def test_trac_ik_says_what_it_cannot_take(mimic):
    with pytest.raises(UnsupportedChainError, match="mimic"):
        TracIK(mimic)
    table = reachability.measure(mimic, reachability.Options(poses=2), lambda: None)
    assert table.peers == () and "mimic" in table.absent["trac-ik"]


def test_missing_peer_is_named(panda, monkeypatch, capsys):
    import sys

    monkeypatch.setitem(sys.modules, "pytracik", None)
    table = reachability.measure(panda, reachability.Options(poses=1), lambda: None)
    assert table.peers == () and "pip install" in table.absent["trac-ik"]
    assert main(["evaluate", "reachability", "--robot", "panda", "--poses", "1"]) == 0
    assert "trac-ik: peer 'trac-ik' needs pytracik" in capsys.readouterr().out
    options = throughput.Options(blocks=1, poses=1, solutions=5)
    table = throughput.measure(panda, options, lambda: None)
    assert len(table.rates) == 2 and table.rates[0].ratio is None and "trac-ik" in table.absent


@needs_trac_ik
def test_throughput_counts_distinct_and_exact(panda):
    options = throughput.Options(blocks=2, poses=2, solutions=20)
    table = throughput.measure(panda, options, lambda: None)
    assert [rate.solver for rate in table.rates][-1] == "TRAC-IK"
    one, batch, tracik = table.rates
    assert table.violations == Violations()
    assert 15 < one.solutions <= 20 and 15 < batch.solutions <= 20
    assert one.per_second == one.exact_per_second
    assert tracik.per_second <= tracik.exact_per_second
    # TRAC-IK's timeout is by the clock: a busy machine may leave one of the blocks without any.
    assert tracik.ratio.median == tracik.exact_ratio.median and tracik.ratio.median in (0.5, 1.0)


def test_lists_of_chains(tmp_path, panda):
    with pytest.raises(InvalidArgumentError, match="SOURCES.md; .* FILE:BASE:TIP"):
        listed_cases(tmp_path)
    (tmp_path / "own.urdf").write_text("<robot name='own'/>")
    named = listed_cases(tmp_path, ["own:base:tip", "own.urdf:base:tip", "own:base:hand"])
    assert [case.label for case in named] == ["own.urdf: base -> tip", "own.urdf: base -> hand"]
    with pytest.raises(InvalidArgumentError, match="SOURCES.md"):
        listed_cases(tmp_path, ["own:base:tip", "other:base:tip"])
    (tmp_path / "SOURCES.md").write_text("# nothing\n")
    with pytest.raises(InvalidArgumentError, match="lists no chain"):
        listed_cases(tmp_path)
    row = "| {} | x | y | `{}` | `{}` | 7 | 7R |\n"
    text = row.format("a.urdf", "base", "tip") + row.format("", "base", "hand")
    (tmp_path / "SOURCES.md").write_text(text + row.format("b.urdf", "foot", "head"))
    labels = [case.label for case in listed_cases(tmp_path)]
    assert labels == ["a.urdf: base -> tip", "a.urdf: base -> hand", "b.urdf: foot -> head"]
    assert len(listed_cases(tmp_path, ["a"])) == len(listed_cases(tmp_path, ["a.urdf"])) == 2
    with pytest.raises(UnknownNameError, match="unknown robot 'c'; choose from: a, b"):
        listed_cases(tmp_path, ["c"])
    (one,) = listed_cases(tmp_path, ["a:base:hand"])
    assert one.label == labels[1] and one.selector == "a:base:hand"
    assert len(listed_cases(tmp_path, ["a:base", "a", "b"])) == 3
    with pytest.raises(UnknownNameError, match="choose from: a:base:tip, a:base:hand"):
        listed_cases(tmp_path, ["a:elbow"])
    assert chosen_cases(tmp_path, []) == chosen_cases(tmp_path, ["all"]) == listed_cases(tmp_path)
    assert {case.robot for case in known_cases()} >= {"panda", "ur10"}


def test_command_writes_json_and_a_table(tmp_path, capsys):
    file = tmp_path / "figures.json"
    words = ["evaluate", "reachability", "--robot", "panda", "--robot", "ur10", "--poses", "2"]
    assert main([*words, "--json", str(file)]) == 0
    text = capsys.readouterr().out
    assert text.count("| ") > 20 and "checked by pinocchio: nothing false" in text
    report = json.loads(file.read_text())
    assert report["false_results"] == 0 and len(report["tables"]) == 2
    assert report["machine"]["cores"] >= 1 and "node" not in report["machine"]
    assert main([*words, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["protocol"] == "reachability"


def test_measured_files_fill_the_pages(tmp_path, capsys):
    spec = spec_from_file_location("fill_tables", Path(__file__).parents[1] / "fill_tables.py")
    fill_tables = module_from_spec(spec)
    spec.loader.exec_module(fill_tables)
    words = ["evaluate", "reachability", "--robot", "panda", "--poses", "1"]
    assert main([*words, "--json", str(tmp_path / "reachability-panda.json")]) == 0
    page = tmp_path / "tables" / "reachability.md"
    page.parent.mkdir()
    page.write_text("# Page\n<!-- begin reachability -->\nold\n<!-- end reachability -->\nafter\n")
    assert fill_tables.fill(tmp_path, "reachability", tmp_path)
    text = page.read_text()
    assert text.startswith("# Page\n<!-- begin reachability -->\n1 random reachable poses")
    assert "\n| panda | 7 | 100.0 |" in text and "old" not in text
    assert text.endswith("<!-- end reachability -->\nafter\n")
    # Chains that share a line are named by their robots alone, too.
    assert fill_tables._short("- a.urdf: x -> y, b.urdf: x -> z: why") == "- a, b: why"
    # No files, or no page with marks: nothing is written.
    assert not fill_tables.fill(tmp_path, "peers", tmp_path)
    page.unlink()
    assert not fill_tables.fill(tmp_path, "reachability", tmp_path) and not page.exists()
