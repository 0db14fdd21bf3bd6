"""Every metric against a case worked out by hand or an independent way to the same figure."""

import numpy as np
import pytest
from arms import elbows, puma
from robots import Z, arm, planar_two_joints
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.metrics.clusters import chordal_distances, cluster_count
from generative_ik_benchmarks.metrics.coverage import coverage, mean_coverage
from generative_ik_benchmarks.metrics.pose_error import (
    EXACT,
    NEAR,
    Summary,
    pose_errors,
    successes,
)
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.peers.ssik import analytic_branches
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.training.mmd import IKFLOW, InverseMultiquadric, squared_mmd
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.robot.random_poses import random_configurations, random_reachable_poses

TURN = 2 * np.pi


@pytest.fixture(scope="module")
def mixed():
    """A circular, a revolute and a prismatic joint (characteristic length 0.75 m)."""
    return arm(
        ("continuous", (0, 0, 0), Z, None),
        ("revolute", (0.5, 0, 0), Z, (-3.0, 3.0)),
        ("prismatic", (0.25, 0, 0), (1, 0, 0), (-0.5, 0.75)),
    )


@pytest.fixture(scope="module")
def ur10():
    return load_robot("ur10")


# space


def test_distances_by_hand(mixed):
    space = JointSpace.of(mixed)
    assert space.circular.tolist() == [True, False, False]
    assert space.scale.tolist() == [1.0, 1.0, 0.75]
    one, other = np.array([3.1, -2.9, 0.0]), np.array([-3.1, 2.9, 0.75])
    gaps = np.array([TURN - 6.2, 5.8, 1.0])
    assert space.distances(one, other) == pytest.approx(np.sqrt((gaps**2).sum()))
    assert space.distances(one, other, LARGEST) == pytest.approx(5.8)
    torus = JointSpace.torus(mixed)
    assert torus.circular.tolist() == [True, True, False]
    assert torus.distances(one, other, LARGEST) == pytest.approx(1.0)
    assert torus.distances(one, other + [20 * np.pi, 0, 0]) == pytest.approx(
        torus.distances(one, other)
    )


@pytest.mark.parametrize("norm", [2.0, LARGEST])
def test_nearest_is_that_of_brute_force(mixed, norm):
    space, rng = JointSpace.of(mixed), np.random.default_rng(0)
    among = rng.uniform(-7, 7, (300, 3))
    positions = np.concatenate([rng.uniform(-7, 7, (200, 3)), among[:5] + [TURN, 0, 0]])
    positions[0, 0], among[0, 0] = -1e-18, TURN  # remainders that round to a full turn
    brute = space.distances(positions[:, None], among[None], norm).min(axis=1)
    np.testing.assert_allclose(space.nearest(positions, among, norm), brute, atol=1e-14)
    within = space.nearest(positions, among, norm, 0.5)
    np.testing.assert_array_equal(np.isfinite(within), brute <= 0.5)
    assert np.isinf(space.nearest(positions, among[:0])).all()
    assert space.nearest(positions[:0], among).shape == (0,)


def test_thinning_packs_and_covers(mixed):
    space, rng = JointSpace.of(mixed), np.random.default_rng(1)
    positions = rng.uniform(-3, 3, (5000, 3)) * [1, 1, 0.2]
    chosen = space.thin(positions, 0.6)
    kept = positions[chosen]
    gaps = space.distances(kept[:, None], kept[None]) + np.eye(len(kept)) * 9
    assert gaps.min() > 0.6
    assert space.nearest(positions, kept).max() <= 0.6
    one_by_one = []
    for i, row in enumerate(positions):
        if not one_by_one or space.distances(positions[one_by_one], row).min() > 0.6:
            one_by_one.append(i)
    assert chosen.tolist() == one_by_one
    assert space.thin(positions, 0.6, most=7).tolist() == one_by_one[:7]
    assert not len(space.thin(positions, 0.6, kept=kept))


def test_duplicates_by_hand(mixed):
    space = JointSpace.of(mixed)
    positions = np.array(
        [[0.0, 0.0, 0.0], [TURN + 0.04, 0.04, 0.03], [0.06, 0.0, 0.0], [0.0, 0.0, 0.05]]
    )
    assert space.count_distinct(positions, 0.05) == 3
    assert space.count_distinct(positions[:0], 0.05) == 0


# pose error


def test_pose_errors_by_hand():
    chain = planar_two_joints()
    targets = chain.forward(np.zeros((2, 2)))  # both links along x: (1.5, 0), no turn
    positions = np.array([[[0.0, 0.0], [0.1, 0.0]], [[0.0, np.pi / 2], [0.0, -0.2]]])
    distance, angle = pose_errors(chain.forward, positions, targets[:, None])
    second = 2 * 0.5 * np.sin(0.1)
    expected = [[0.0, 2 * 1.5 * np.sin(0.05)], [np.sqrt(0.5), second]]
    np.testing.assert_allclose(distance, expected, atol=1e-12)
    np.testing.assert_allclose(angle, [[0.0, 0.1], [np.pi / 2, 0.2]], atol=1e-9)
    one = pose_errors(chain.forward, positions[0], targets[0])
    np.testing.assert_array_equal(one[0], distance[0])


def test_a_summary_by_hand():
    summary = Summary.of(np.array([np.arange(101.0), np.arange(101.0) + 100.0]))
    assert (summary.mean, summary.p50) == (100.0, 100.0)
    assert (summary.mean_min, summary.mean_max) == (50.0, 150.0)
    even = Summary.of(np.arange(101.0))
    assert (even.q1, even.q3, even.p90, even.p99) == (25.0, 75.0, 90.0, 99.0)
    assert (even.mean_min, even.mean_max) == (0.0, 100.0)
    with pytest.raises(InvalidArgumentError, match="no errors"):
        Summary.of(np.empty((3, 0)))


def test_success_is_one_good_sample_of_a_problem():
    distance = np.array([[0.5e-2, 2e-2, 2e-2, 2e-2], [2e-2, 2e-2, 2e-2, 0.5e-2]])
    angle = np.deg2rad([[0.5, 0.5, 3.0, 3.0], [0.5, 0.5, 0.5, 1.5]])
    assert successes(distance, angle, NEAR) == (1 / 8, 1 / 2)
    assert successes(distance, angle, EXACT) == (0.0, 0.0)


# maximum mean discrepancy


def test_the_kernel_is_that_of_ikflow():
    squared, width, exponent = 2.7, 1.1827009364464547, 0.2
    as_published = width**exponent * ((width + squared) / exponent) ** -exponent
    points = np.array([[0.0, 0.0]]), np.array([[np.sqrt(2.7), 0.0]])
    assert IKFLOW(*points)[0, 0] == pytest.approx(as_published, rel=1e-14)


def test_discrepancy_of_two_points_in_closed_form():
    kernel = InverseMultiquadric(3.0, 0.5, gain=1.0)  # 1 / sqrt(1 + d^2 / 3)
    one, other = np.array([[0.0]]), np.array([[3.0]])
    assert squared_mmd(one, other, kernel) == pytest.approx(2 * (1 - 0.5))
    assert squared_mmd(one, one, kernel) == 0.0


# clusters


def test_chordal_distance_is_that_of_rotation_matrices(ur10):
    positions = random_configurations(ur10, 2, 4)
    matrices = Rotation.from_rotvec(positions.reshape(-1, 1) * [Z]).as_matrix()
    gap = matrices.reshape(2, 6, 3, 3)[0] - matrices.reshape(2, 6, 3, 3)[1]
    distances = chordal_distances(JointSpace.torus(ur10), positions)
    assert distances[0, 1] == pytest.approx(np.linalg.norm(gap))
    assert np.diag(distances).max() == 0.0


def test_clusters_on_a_circle_go_across_the_cut():
    chain = planar_two_joints(limits=(-3.2, 3.2))
    one_turn = planar_two_joints()
    ends = np.array([[3.13, 0.0], [-3.13, 0.0], [3.1, 0.02], [-3.1, 0.0], [0.0, 0.0]])
    assert cluster_count(JointSpace.torus(chain), ends, 0.1) == 2
    assert cluster_count(JointSpace.of(one_turn), ends, 0.1) == 3
    assert cluster_count(JointSpace.of(chain), ends[:0], 0.1) == 0


# coverage and branches


def test_coverage_of_an_arm_with_two_solutions():
    chain = planar_two_joints()
    both = elbows((0.9, 0.4))
    np.testing.assert_allclose(chain.forward(both)[:, :2, 3], [[0.9, 0.4], [0.9, 0.4]], atol=1e-12)
    space = JointSpace.of(chain)
    assert coverage(space, both[:1], both) == 0.5
    assert coverage(space, both[[1, 1, 1]] + 0.3, both, 0.5) == 0.5
    assert coverage(space, both[1:] + 0.3, both, 0.4) == 0.0
    assert coverage(space, both[1:] + 0.3, both, 0.4, LARGEST) == 0.5
    assert coverage(space, both[:0], both) == 0.0
    assert np.isnan(coverage(space, both, both[:0]))
    found = [both, both[:1], both[:1]]
    assert mean_coverage(space, found, [both, both, both[:0]]) == 0.75
    assert np.isnan(mean_coverage(space, found[:1], [both[:0]]))


def test_coverage_of_a_circle_is_the_share_of_its_length():
    chain = arm(("continuous", (0, 0, 0), Z, None), tool=(1, 0, 0))
    circle = np.linspace(-np.pi, np.pi, 100_000, endpoint=False)[:, None]
    found = np.array([[np.pi - 0.1], [0.5]])  # 0.5 to both sides, across the cut too
    share = coverage(JointSpace.of(chain), found, circle, 0.5)
    assert share == pytest.approx(2 * 1.0 / TURN, abs=2e-5)


@pytest.mark.parametrize("robot", ["ur10", "puma"])
def test_branches_are_what_the_solver_finds(robot):
    pytest.importorskip("ssik", reason="ssik is not installed")
    chain = puma() if robot == "puma" else load_robot(robot)
    solver, space = IKSolver(chain), JointSpace.of(chain)
    targets = random_reachable_poses(chain, 5, 7)
    for target, branches in zip(targets, analytic_branches(chain, targets), strict=True):
        distance, angle = pose_errors(chain.forward, branches, target)
        assert len(branches) > 1 and max(distance.max(), angle.max()) < 1e-7
        assert (np.clip(branches, chain.lower - 1e-9, chain.upper + 1e-9) == branches).all()
        found = solver.solve(target, 100).of(0)
        assert coverage(space, found, branches, 0.05, LARGEST) == 1.0
        assert coverage(space, branches, found, 0.05, LARGEST) == 1.0
        near_first = space.distances(found, branches[0], LARGEST) <= 0.05
        without_one = coverage(space, found[~near_first], branches, 0.05, LARGEST)
        assert without_one == 1.0 - 1.0 / len(branches)


def test_branches_of_other_arms_are_refused():
    pytest.importorskip("ssik", reason="ssik is not installed")
    for chain in (load_robot("panda"), planar_two_joints()):
        with pytest.raises(UnsupportedChainError, match="6 joints, not"):
            analytic_branches(chain, np.empty((0, 4, 4)))
