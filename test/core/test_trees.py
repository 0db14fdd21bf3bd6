"""Several tips on shared joints: the promises of `IKSolver.solve` for trees."""

from functools import partial

import numpy as np
import pytest
from real_robots import example_robot, needs_real_robots
from robots import assert_true_solutions, configurations
from two_arms import two_arms

from generative_ik_ros import IKSolver, KinematicTree, SolveStatus, TaskSpaceRegion, load_robot
from generative_ik_ros.errors import (
    InvalidArgumentError,
    InvalidTargetError,
    UnsupportedChainError,
)
from generative_ik_ros.samplers.capability_map import CapabilityMap

TREE = two_arms()
TRAY = two_arms(reference_links={"right_hand": "left_hand"})
ONLY_RELATIVE = two_arms(("right_hand",), reference_links={"right_hand": "left_hand"})


@pytest.mark.parametrize("tree", [TREE, TRAY, ONLY_RELATIVE], ids=["absolute", "tray", "relative"])
def test_many_solutions_of_many_targets(tree):
    targets = tree.forward(configurations(tree, 20))
    solver = IKSolver(tree)
    single = solver.solve(targets, 1)
    assert set(single.status) == {SolveStatus.SOLVED}
    assert_true_solutions(tree, single, targets)
    many = solver.solve(targets[:5], 40)
    assert (many.counts == 40).all() and many.joint_names == tree.names
    assert_true_solutions(tree, many, targets[:5])
    assert many.position_error.max() <= 1e-5 and many.orientation_error.max() <= 1e-5


def test_the_same_call_has_the_same_result():
    targets = TREE.forward(configurations(TREE, 70, 1))
    first, again = (IKSolver(TREE).solve(targets, 2) for _ in range(2))
    np.testing.assert_array_equal(first.positions, again.positions)
    other = IKSolver(TREE).solve(targets, 2, random_seed=1)
    assert np.abs(other.positions - first.positions).max() > 0.1


@pytest.mark.parametrize("name", ["panda", "ur10"])
def test_a_tree_of_one_tip_is_its_chain(name):
    arm = load_robot(name)
    tree = KinematicTree.from_urdf(arm.description, arm.base_link, (arm.tip_link,))
    targets = arm.forward(configurations(arm, 10))
    seed = (arm.lower + arm.upper) / 2.0
    for options in ({}, {"seed_state": seed}, {"num_solutions": 40}):
        one = IKSolver(arm).solve(targets, **{"num_solutions": 10, **options})
        other = IKSolver(tree).solve(targets[:, None], **{"num_solutions": 10, **options})
        assert one.sampler == other.sampler == "closed_form"
        np.testing.assert_array_equal(one.positions, other.positions)


def test_nearest_first_within_consistency_limits():
    seed = configurations(TREE, 1, 2)[0] * 0.5
    target = TREE.forward(seed + 0.05)
    solver, limits = IKSolver(TREE), np.full(TREE.num_joints, 0.6)
    near = solver.solve(target, 5, seed_state=seed)
    distances = np.linalg.norm(near.of(0) - seed, axis=1)
    assert distances[0] <= 0.06 * np.sqrt(TREE.num_joints) and (np.diff(distances) >= 0.0).all()
    within = solver.solve(target, 20, seed_state=seed, consistency_limits=limits)
    assert within.counts[0] > 0
    assert_true_solutions(TREE, within, target)
    assert (np.abs(within.of(0) - seed) <= limits).all()


def test_hands_too_far_apart_have_a_closest_approach():
    target = np.stack([np.eye(4), np.eye(4)])
    target[:, :3, 3] = (0.5, 2.0, 1.0), (0.5, -2.0, 1.0)
    found = IKSolver(TREE).solve(target, 3)
    assert found.status == (SolveStatus.NO_SOLUTION,) and found.counts[0] == 0
    tips = TREE.forward(found.best_effort[0])
    gap = np.linalg.norm(tips[:, :3, 3] - target[:, :3, 3], axis=1).max()
    assert gap == pytest.approx(found.best_effort_position_error[0], abs=1e-12)
    # Nothing nearby is much closer, by the error that is minimised.
    rng, length = np.random.default_rng(0), TREE.characteristic_length
    best = _error(TREE, found.best_effort[0], target, length)
    near = found.best_effort[0] + rng.uniform(-0.02, 0.02, (200, TREE.num_joints))
    near = np.clip(near, TREE.lower, TREE.upper)
    assert best <= 1.001 * min(_error(TREE, q, target, length) for q in near)


def _error(tree, q, target, length):
    tips = tree.forward(q)
    turned = np.linalg.norm(tips[:, :3, :3] - target[:, :3, :3], axis=(1, 2)) / np.sqrt(2.0)
    away = np.linalg.norm(tips[:, :3, 3] - target[:, :3, 3], axis=1) / length
    return (turned**2 + away**2).sum()


def test_a_free_hand():
    """With one hand free, the other reaches as if it were alone."""
    targets = TREE.forward(configurations(TREE, 10, 4))
    targets[:, 1, :3, 3] = 99.0
    region = {"right_hand": TaskSpaceRegion.free()}
    found = IKSolver(TREE).solve(targets, 10, region=region)
    assert (found.counts == 10).all()
    tips = TREE.forward(found.positions)
    assert np.abs(tips[:, :, 0] - targets[:, None, 0]).max() <= 1e-5


def test_a_tray_may_tilt_little():
    targets = TRAY.forward(configurations(TRAY, 10, 5))
    region = (TaskSpaceRegion.cone("z", 0.2), None)
    found = IKSolver(TRAY).solve(targets, 10, region=region)
    assert (found.counts == 10).all()
    tips = TRAY.forward(found.positions)
    assert np.abs(tips[:, :, 1] - targets[:, None, 1]).max() <= 1e-5
    upright = np.einsum("bni,bi->bn", tips[:, :, 0, :3, 2], targets[:, 0, :3, 2])
    assert (np.arccos(np.clip(upright, -1.0, 1.0)) <= 0.2 + 1e-9).all()


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        (np.eye(4), r"2 tips they must be \(2, 4, 4\)"),
        (np.stack([np.eye(4)] * 3), "2 tips"),
        (np.full((2, 4, 4), np.nan), "NaN"),
        (np.zeros((1, 2, 2, 4, 4)), "2 tips"),
    ],
)
def test_bad_targets(targets, words):
    with pytest.raises(InvalidTargetError, match=words):
        IKSolver(TREE).solve(targets)


def test_what_trees_do_not_have():
    for made in (partial(IKSolver, TREE, sampler="capability_map"), partial(CapabilityMap, TREE)):
        with pytest.raises(UnsupportedChainError, match="one tip; trees take quasi_random, "):
            made()
    with pytest.raises(InvalidArgumentError, match="KinematicTree"):
        IKSolver("panda")  # pyright: ignore[reportArgumentType]


@needs_real_robots
def test_a_large_room_is_no_harder_than_a_small_one():
    """Two hands and two feet of a humanoid that may stand anywhere within 200 m."""
    urdf = example_robot("talos_data/robots/talos_full_v2.urdf")
    tips = [f"gripper_{side}_base_link" for side in ("left", "right")]
    tips += [f"{side}_sole_link" for side in ("left", "right")]
    room = ([-100.0] * 3 + [-0.3, -0.3, -3.0], [100.0] * 3 + [0.3, 0.3, 3.0])
    tree = KinematicTree.from_urdf(urdf, None, tips, floating_base=room)
    targets = tree.forward(configurations(tree, 20))
    found = IKSolver(tree).solve(targets, 10)
    assert (found.counts == 10).all()
    assert_true_solutions(tree, found, targets)


def three_arms(rng):
    """Return three arms of six joints each, at random angles to each other, on one that turns."""
    joints, tips, quarters = [], [], np.array([-0.5, 0.0, 0.5]) * np.pi

    def add(parent, child, offset):
        xyz, rpy = " ".join(map(str, offset)), " ".join(map(str, rng.choice(quarters, 3)))
        low, high = rng.uniform(0.6, 3.0, 2)
        joints.append(
            f'<link name="{child}"/><joint name="{child}_joint" type="revolute">'
            f'<parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 1"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><limit lower="{-low}" upper="{high}"/></joint>'
        )
        return child

    body = add("ground", "body", np.zeros(3))
    for arm in "abc":
        parent = body
        for k in range(6):
            parent = add(parent, f"{arm}{k}", rng.uniform(-0.2, 0.2, 3))
        tips.append(parent)
    urdf = f'<robot name="three"><link name="ground"/>{"".join(joints)}</robot>'
    return KinematicTree.from_urdf(urdf, "ground", tips)


def test_goals_with_half_of_the_joints_at_limits_are_reached():
    """Restarts alone miss 11 of these 300, and end few joints away from solutions."""
    rng, missed = np.random.default_rng(0), 0
    for _ in range(10):
        tree = three_arms(rng)
        q = rng.uniform(tree.lower, tree.upper, (30, tree.num_joints))
        ends = np.where(rng.random(q.shape) < 0.5, tree.lower, tree.upper)
        targets = tree.forward(np.where(rng.random(q.shape) < 0.5, ends, q))
        found = IKSolver(tree).solve(targets, 1)
        missed += 30 - found.counts.sum()
        assert_true_solutions(tree, found, targets)
    assert missed < 6
