"""Scores of solutions against hand calculations, and the protocol that compares the best."""

import numpy as np
import pytest

from generative_ik_benchmarks.chains import known_cases, serial_case
from generative_ik_benchmarks.preference_tasks import (
    PREFERENCES,
    Manipulability,
    Task,
    greatest,
    limit_margins,
)
from generative_ik_benchmarks.prismatic_chains import Joint
from generative_ik_benchmarks.reference.exhaustive import sampled_solutions
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros import IKSolver
from generative_ik_ros.robot.random_poses import random_configurations

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")


@pytest.fixture
def two_links():
    """Links of 1 m and 0.5 m in a plane."""
    limits = "lower='-1' upper='3'"
    joints = [Joint("revolute", f"{x} 0 0", limits=limits) for x in (0, 1)]
    return serial_case("arm", [*joints, Joint("fixed", "0.5 0 0")])


def test_manipulability_is_that_of_two_links(two_links):
    bend = np.array([0.0, 0.4, 2.0])
    rows = np.column_stack([np.full(3, 0.7), bend])
    # Both columns turn by 1 rad; the tip moves across the lines from the joints to it.
    first = 1.0 + 0.25 + 2 * 0.5 * np.cos(bend)
    between = 0.25 + 0.5 * np.cos(bend)
    determinant = (1 + first) * (1 + 0.25) - (1 + between) ** 2
    assert Manipulability(two_links)(rows) == pytest.approx(np.sqrt(determinant))


def test_the_margin_is_the_smallest_share(two_links):
    rows = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 2.9], [-1.0, 1.0]])
    assert limit_margins(two_links, rows) == pytest.approx([0.5, 0.25, 0.025, 0.0])


def test_clearance_is_measured_among_obstacles():
    case = known_cases(["panda"])[0]
    task = Task.of("clearance", case, 1)
    targets = task.targets(3, 1)
    assert targets.shape == (3, 4, 4)
    solver = IKSolver(case.chain)
    for target in targets:
        found = solver.solve(target, 100).of(0)
        free = found[~task.solver.collides(found, scene=task.scene)]
        exact = task.score(free)
        assert len(free) and (exact > 0.0).all()
        ours = task.solver.clearance(free, scene=task.scene, exact=True)
        assert ours == pytest.approx(exact, rel=1e-4, abs=1e-6)
        assert task.best(found) == pytest.approx(exact.max())
    with pytest.raises(UnsupportedChainError, match="no collision geometry"):
        Task.of("clearance", known_cases(["ur10"])[0], 1)


def test_samples_are_solutions_as_seeds_find_them(panda):
    target = panda.forward(random_configurations(panda, 1, 5))[0]
    settings = ExhaustiveSettings(first_seeds=2, max_seeds=20_000)
    found = sampled_solutions(panda, target, 500, settings)
    assert found.shape == (500, 7)
    assert np.allclose(panda.forward(found)[:, :3, 3], target[:3, 3], atol=2e-6)
    assert (
        len(np.unique(found.round(3), axis=0)) > 300
    )  # some are at a joint limit, and found again
    target[:3, 3] += 10.0
    assert sampled_solutions(panda, target, 500, settings).shape == (0, 7)
    assert greatest(lambda q: q[:, 0], found[:0]) == 0.0


@pytest.mark.slow
def test_the_protocol_runs(evaluate):
    code, report, out = evaluate("preferences", "--robot", "panda", "--quick", "--poses", "4")
    (table,) = report["tables"]
    assert code == 0 and "clearance" in out
    rows = {row["preference"]: row for row in table["rows"]}
    assert list(rows) == [*PREFERENCES]
    for row in rows.values():
        assert row["poses"] == 4 and row["samples"] == 300
        for call in (row["optimized"], row["plain"]):
            assert 0.0 < call["median"] <= call["p99"]
            assert call["worst"] <= call["share"]["median"]
    margin = rows["limit_margin"]
    assert margin["optimized"]["share"]["median"] >= margin["plain"]["share"]["median"]
    assert margin["optimized"]["close"] == 1.0
