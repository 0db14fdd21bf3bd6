"""Arms with fewer joints than a target holds coordinates: what is said to them, and their page."""

import numpy as np
import pytest
from robots import NONE, Z, urdf

from generative_ik_ros import IKSolver, KinematicChain, TaskSpaceRegion, pose_matrix


@pytest.fixture(scope="module")
def scara():
    """Three vertical axes and a slide along them."""
    wide, deep = (-2.9, 2.9), (-0.3, 0.0)
    joints = [
        ("revolute", NONE, NONE, Z, wide, ""),
        ("revolute", (0.3, 0, 0), NONE, Z, wide, ""),
        ("prismatic", (0.2, 0, 0), NONE, Z, deep, ""),
        ("revolute", NONE, NONE, Z, wide, ""),
    ]
    return KinematicChain.from_urdf(urdf(joints))


def test_too_few_joints_are_named_where_a_pose_is_out_of_reach(scara, panda):
    tilted = pose_matrix([0.3, 0.2, -0.1], [0.1, 0.0, 0.0, 1.0])
    solver = IKSolver(scara)
    found = solver.solve(tilted, 1)
    says = "this arm has 4 joints, so cannot reach most poses exactly: free an axis with region="
    for text in (found.best_effort_message(), str(found), str(solver.solve([tilted, tilted], 9))):
        assert says in text
    # Also where an axis is free, but not where nothing is held that four joints cannot do.
    far = pose_matrix([3.0, 0.2, -0.1], [0.1, 0.0, 0.0, 1.0])
    turning = solver.solve(tilted, 1, region=TaskSpaceRegion.free_axis("z"))
    assert says in turning.best_effort_message()
    for nothing in (
        solver.solve(far, 1, region=TaskSpaceRegion.position_only()),
        IKSolver(scara, orientation_tolerance=np.inf).solve(far, 1),
        IKSolver(panda).solve(far, 1),
    ):
        assert nothing.best_effort_message().startswith("out of reach; closest: ")
        assert "joints" not in nothing.best_effort_message()


def test_a_rotation_of_three_digits_is_one(scara):
    """0.707 for the root of 1/2, which four joints reach only if it is made exact."""
    target = scara.forward(np.array([0.3, 0.6, -0.1, np.pi / 4.0 - 0.9]))
    typed = target.copy()
    typed[:2, :2] = [[0.707, -0.707], [0.707, 0.707]]
    found = IKSolver(scara).solve(typed, 2)
    assert found.counts[0] == 2
    np.testing.assert_allclose(scara.forward(found.of()), [target, target], atol=2e-5)


def test_a_scara_has_both_elbows_of_every_pose_and_no_more(scara, rng):
    """The law of cosines has all solutions within the limits; also of the nearest orientation."""
    q = rng.uniform(scara.lower, scara.upper, (100, 4))
    targets = scara.forward(q)
    found = IKSolver(scara).solve(targets, 10)
    for t, target in enumerate(targets):
        expected = by_hand(scara, target)
        assert found.counts[t] == len(expected) > 0
        for one in expected:
            # Beside a stretched arm the tolerance is some thousandths of a radian.
            assert np.abs(found.of(t) - one).max(axis=1).min() < 5e-3
    tilted = targets @ pose_matrix([0.0, 0.0, 0.0], [np.sin(0.1), 0.0, 0.0, np.cos(0.1)])
    near = IKSolver(scara, prefer="position").solve(tilted, 10)
    assert (near.counts >= found.counts).all()
    assert np.nanmax(near.position_error) <= 1e-5
    # Tilted by 0.2 rad about its own x axis, the tool is nearest at the same turn.
    np.testing.assert_allclose(near.orientation_error[:, 0], 0.2, atol=1e-6)


def by_hand(scara, target, first=0.3, second=0.2):
    """All configurations of a pose within the limits."""
    x, y, z = target[:3, 3]
    elbow = np.arccos(
        np.clip((x * x + y * y - first**2 - second**2) / (2 * first * second), -1, 1)
    )
    found = []
    for turn in (elbow, -elbow):
        shoulder = np.arctan2(y, x) - np.arctan2(
            second * np.sin(turn), first + second * np.cos(turn)
        )
        wrist = np.arctan2(target[1, 0], target[0, 0]) - shoulder - turn
        angles = [(a + np.pi) % (2.0 * np.pi) - np.pi for a in (shoulder, turn, wrist)]
        q = np.array([angles[0], angles[1], z, angles[2]])
        if (q >= scara.lower).all() and (q <= scara.upper).all():
            found.append(q)
    return found
