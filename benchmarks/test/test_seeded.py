"""`evaluate seeded`: its goals, what others return, and figures that tell right from wrong."""

import re
import sys

import numpy as np
import pytest

from generative_ik_benchmarks.chains import known_cases
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.seeded import (
    SEEDED_PEERS,
    Ours,
    SeededSolver,
    available_seeded,
)
from generative_ik_benchmarks.peers.stepping import LoneArm
from generative_ik_benchmarks.protocols.seeded import calls_in_walks, distance_figures
from generative_ik_benchmarks.protocols.seeded_walks import STEPS, walks
from generative_ik_benchmarks.robots import example_robots_folder
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros import IKSolver
from generative_ik_ros.robot.random_poses import random_configurations

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
PANDA, UR10 = known_cases(["panda", "ur10"])


def _goals(case, kind, count=40):
    return walks(case.chain, kind, count, 1, Oracle.of(case).forward)


def test_the_command(evaluate):
    words = ["seeded", "--robot", "ur10", "--quick", "--peer", "ssik", "--peer", "trac-ik"]
    code, report, out = evaluate(*words)
    assert code == 0 and "checked by pinocchio: nothing false" in out and "Machine: " in out
    (table,) = report["tables"]
    ours = [row for row in table["rows"] if row["solver"] == "ours"]
    assert [row["kind"] for row in ours] == list(STEPS) == [b["kind"] for b in table["batches"]]
    for row in table["rows"]:
        assert row["goals"] == 20 and 0.0 < row["median"] <= row["p99"]
        assert row["violations"] == {"wrong": 0, "outside": 0, "duplicates": 0}
    for row in ours:
        assert row["solved"] == 1.0 and row["ratio"]["median"] == 1.0
        assert row["further"] <= 0.1
    small, large, far = (row["distance"] for row in ours)
    assert small < 0.02 * np.sqrt(6) < large < 0.25 * np.sqrt(6) < far
    assert all(batch["goals"] == 200 and batch["solved"] == 1.0 for batch in table["batches"])
    assert all(batch["call"] > 0.0 < batch["processor"] for batch in table["batches"])


@pytest.mark.parametrize("kind", STEPS)
def test_goals_are_walks_within_the_limits(kind):
    chain, goals = PANDA.chain, _goals(PANDA, kind)
    gaps = np.abs(goals.reaching - goals.seed_states)
    if kind == "anywhere":
        assert gaps.max() > 2.0
    else:
        assert 0.8 * STEPS[kind] < gaps.max() <= STEPS[kind]
    starts = np.arange(1, 40) % 5 == 0
    goes_on = (goals.seed_states[1:] == goals.reaching[:-1]).all(axis=1)
    np.testing.assert_array_equal(goes_on, ~starts)
    for rows in (goals.seed_states, goals.reaching):
        assert (rows >= chain.lower).all() and (rows <= chain.upper).all()
    np.testing.assert_allclose(chain.forward(goals.reaching), goals.targets, atol=1e-9)


@pytest.mark.parametrize("name", SEEDED_PEERS)
def test_solutions_of_others_are_true_and_near(name):
    goals = _goals(PANDA, "loop", 10)
    found, absent = available_seeded([name], PANDA, 1.0)
    if absent:
        pytest.skip(absent[name])
    rows = distance_figures(PANDA, found, goals, calls_in_walks(found, goals), np.full(10, np.inf))
    for row in rows:
        assert row.violations.total == 0, row
        # An arm whose last joint stays cannot follow everywhere.
        assert row.solved >= (0.5 if "kept" in row.solver else 1.0) and row.distance < 0.2


@pytest.mark.parametrize("name, module", [("pink", "pink"), ("mink", "mink"), ("placo", "placo"),
                                          ("frankik", "frankik"), ("ssik", "ssik")])  # fmt: skip
def test_missing_libraries_are_named(name, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    found, absent = available_seeded([name], UR10, 0.02)
    assert not found
    assert re.search(f"peer '{name}' needs .*pip install", absent[name])


class _Told(SeededSolver):
    """Returns what it was told for each seed state."""

    name = "told"

    def __init__(self, seed_states, rows):
        self._of = {q.tobytes(): row for q, row in zip(seed_states, rows, strict=True)}

    def near(self, tip_in_base, seed_state):
        return self._of[seed_state.tobytes()]


def test_what_is_wrong_or_further_counts():
    goals = _goals(UR10, "loop", 20)
    solver = IKSolver(UR10.chain)
    rows = [solver.solve(t, 1, seed_state=q).of(0)[0] for t, q in zip(goals.targets,
            goals.seed_states, strict=True)]  # fmt: skip
    told = list(rows)
    told[0] = None
    told[1] = rows[1] + 1e-3
    # Two turns further a joint is outside its limits, though the tip is at the goal.
    told[2] = rows[2] + np.array([4.0 * np.pi, 0.0, 0.0, 0.0, 0.0, 0.0])
    others = solver.solve(goals.targets[3], 50).of(0)
    told[3] = others[np.argmax(np.abs(others - goals.seed_states[3]).sum(axis=1))]
    solvers = [Ours(solver), _Told(goals.seed_states, told)]
    least = np.linalg.norm(np.array(rows) - goals.seed_states, axis=1)
    ours, other = distance_figures(UR10, solvers, goals, calls_in_walks(solvers, goals), least)
    assert ours.solved == 1.0 and ours.further == 0.0 and ours.violations.total == 0
    assert (other.violations.wrong, other.violations.outside) == (1, 1)
    assert other.solved == pytest.approx(17 / 20)
    assert other.further == pytest.approx(1 / 17)
    assert other.distance > 1.05 * ours.distance


def test_an_arm_alone_is_the_same_arm():
    example = example_robots_folder()
    if example is None:
        pytest.skip("example-robot-data is not installed")
    tiago, up = known_cases(["tiago_arm", "baxter_hand_to_hand"])
    arm, q = LoneArm.of(tiago), random_configurations(tiago.chain, 5, 1)
    alone = Oracle(arm.urdf, arm.base_link, arm.tip_link, arm.joint_names)
    np.testing.assert_allclose(alone.forward(q), tiago.chain.forward(q), atol=1e-9)
    assert np.abs(arm.base_in_world - np.eye(4)).max() > 0.1
    with pytest.raises(UnsupportedChainError, match="up the tree"):
        LoneArm.of(up)
