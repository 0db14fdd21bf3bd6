"""The protocol of seeds for hard goals, on two arms whose hands collide, on a floating base."""

from pathlib import Path

import numpy as np
import pytest

from generative_ik_benchmarks.hard_cases import tree_case
from generative_ik_benchmarks.held_out import PosturesElsewhere, TipsTogether
from generative_ik_benchmarks.interleaved import checker_of
from generative_ik_benchmarks.options import options_of
from generative_ik_benchmarks.oracle import oracle_of
from generative_ik_benchmarks.protocol import PartOf
from generative_ik_benchmarks.protocols import hard_goals
from generative_ik_benchmarks.protocols.hard_calls import calls_in_turns
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.samplers.postures import Postures

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
pytest.importorskip("coal")
URDF = Path(__file__).resolve().parents[2] / "examples/two_arms.urdf"
BALL = "<collision><geometry><sphere radius='0.15'/></geometry></collision></link>"
HANDS = "left_hand", "right_hand"
BOUNDS = (-1.0, -1.0, -1.0, -1.5, -1.5, -3.2), (1.0, 1.0, 1.0, 1.5, 1.5, 3.2)


@pytest.fixture
def case(tmp_path):
    urdf = URDF.read_text()
    for link in (*HANDS, "torso"):
        urdf = urdf.replace(f'<link name="{link}"/>', f'<link name="{link}">{BALL}')
    file = tmp_path / "a/b/c/d/e/arms.urdf"
    file.parent.mkdir(parents=True)
    file.write_text(urdf)
    return TreeCase("arms", file, "", HANDS, floating_base=BOUNDS)


def test_hard_goals(case):
    options = options_of(hard_goals.Options, {"samplers": ["postures"], "goals": 2}, quick=True)
    done = []
    table = hard_goals.measure(PartOf("goals", case), options, lambda: done.append(1))
    assert len(done) == 100 and table.violations.total == 0 and not table.absent
    rows = {row.seeds: row for row in table.rows}
    assert list(rows) == ["quasi_random", "postures", "known", "nearby"]
    for row in table.rows:
        assert row.solved == 1.0 and row.found == 20 and row.colliding is None
        assert 0.0 < row.first_p50 <= row.first_p99 and 0.0 < row.first <= row.first_p99
        assert min(row.batch, row.large_batch) > 0.0 and 0.0 < row.apart < np.pi
        assert list(row.distinct) == sorted(row.distinct)
        assert list(row.solved_within) == sorted(row.solved_within)
    # Seeds that know the answer are all that is tried: as many as there are vector lanes.
    assert rows["known"].first_tried == 8 <= rows["nearby"].first_tried
    summary, budgets = hard_goals.listings([table])
    assert summary.cells[0][summary.heads.index("times as fast")] == "1"
    assert summary.cells[0][summary.heads.index("goals")] == "2 + 4"
    assert [cells[1] for cells in budgets.cells] == list(rows)
    assert list(budgets.heads[2:4]) == ["solved %, 0.5 ms", "solved %, 1 ms"]


def test_what_is_held_out_is_where_all_goals_are_and_no_stored_posture(case):
    region = TipsTogether(0.4)
    hard = tree_case(case, (20, 0), 1, region)
    places = np.stack([goal.target[:, :3, 3] for goal in hard.goals])
    assert (np.linalg.norm(places[:, 0] - places[:, 1], axis=1) < 0.4).all()
    samplers = Postures(case.chain), PosturesElsewhere(case.chain, region)
    near = []
    for sampler in samplers:
        used = IKSolver(case.chain, sampler, collision=hard.model).sampler
        tips = case.chain.forward(used._bank.positions)
        near.append(region.contains(tips).sum())
    assert near[0] > 0 == near[1]
    given = {"samplers": [], "goals": 2, "held_out": 0.4}
    options = options_of(hard_goals.Options, given, quick=True)
    table = hard_goals.measure(PartOf("goals", case), options, lambda: None)
    assert PosturesElsewhere.name in [row.seeds for row in table.rows]
    assert all(row.solved == 1.0 for row in table.rows)


def test_goals_with_a_scene_each_go_to_no_batch(case):
    hard = tree_case(case, (2, 0), 1)
    solvers = {"plain": IKSolver(case.chain, collision=hard.model)}
    calls = calls_in_turns(solvers, hard, 1, 1, lambda share: None)
    checker = checker_of(IKSolver(case.chain), hard.case, oracle_of(hard.case))
    row = calls["plain"].figures("plain", hard, checker)
    assert row.solved == 1.0 and np.isnan([row.batch, row.large_batch]).all()


def test_known_seeds_are_of_the_goal_and_nearby_ones_of_one_beside_it(case):
    hard = tree_case(case, (2, 0), 1)
    solver = IKSolver(case.chain, collision=hard.model)
    for goal in hard.goals:
        own = solver.solve(goal.target, 5).of(0)
        beside = hard_goals._beside(solver, goal, own, (1, 0))
        tips = case.chain.forward(beside)
        gaps = np.linalg.norm(tips[..., :3, 3] - goal.target[:, :3, 3], axis=-1)
        assert (gaps <= 0.05 + 1e-4).all() and (gaps >= 1e-3).all()
        assert not solver.collides(beside).any()
        assert np.ptp(gaps, axis=0).max() < 1e-4  # All of one goal.
