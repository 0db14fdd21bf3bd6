"""Calls for one pose that a closed form answers at once: the same results as of checked calls."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from region_truth import outside
from robots import random_chain

from generative_ik_ros import IKSolver, TaskSpaceRegion, load_robot
from generative_ik_ros._core import FEW_POSES, FEW_POSES_OF_ZEROS
from generative_ik_ros.errors import (
    InvalidArgumentError,
    InvalidTargetError,
)
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.search.at_once import try_at_once
from generative_ik_ros.search.record import read_packed
from generative_ik_ros.solutions import IKSolutions


def at_once(solver, pose, wanted, region=None):
    """Whether such a call is answered before it is checked."""
    of_tree = isinstance(solver.chain, KinematicTree)
    regions = None if region is None else ((region,),)
    found = try_at_once(solver._within(regions), 0.0, pose, wanted, None, of_tree)
    return isinstance(found, IKSolutions)


def assert_same(one, other):
    """Two results are the same but for their timings."""
    for field in fields(IKSolutions):
        if field.name != "timings":
            values = getattr(one, field.name), getattr(other, field.name)
            np.testing.assert_array_equal(*values, err_msg=field.name)


@pytest.fixture(scope="module", params=["ur10", "lwa4p", "panda"])
def solver(request):
    return IKSolver(load_robot(request.param))


@pytest.mark.parametrize("wanted", [1, 5, 100])
def test_the_same_as_of_a_checked_call(solver, wanted):
    short = 0
    for pose in random_reachable_poses(solver.chain, 20, 7, solver.chain.forward):
        one, other = solver.solve(pose, wanted), solver.solve(pose.tolist(), wanted)
        short += at_once(solver, pose, wanted)
        assert_same(one, other)
        assert one.timings[4:] == other.timings[4:]
    # A search solves what is nearly singular.
    assert short >= 14


@pytest.mark.parametrize("region", [None, TaskSpaceRegion.free_axis("z")])
def test_one_solution_of_each_of_a_few_is_the_same_as_of_calls_one_by_one(solver, region):
    form = solver.closed_form
    assert form is not None
    most = FEW_POSES if form.formula else FEW_POSES_OF_ZEROS
    poses = random_reachable_poses(solver.chain, most, 12, solver.chain.forward)
    assert at_once(solver, poses[:2].copy(), 1, region)
    for count in (2, 10, most):
        few = np.ascontiguousarray(poses[:count])
        short = at_once(solver, few, 1, region)
        found, other = (solver.solve(each, 1, region=region) for each in (few, few.tolist()))
        assert_same(found, other)
        if short:
            alone = [solver.solve(pose, 1, region=region).positions[0] for pose in few]
            # But for those that are searched for, which is done side by side.
            assert (found.positions == alone).all(axis=(1, 2)).sum() >= 0.98 * count
            assert found.counts.all() and found.position_error.max() <= 1e-5
            assert found.positions.shape == (count, 1, solver.chain.num_joints)
    assert not at_once(solver, np.concatenate([poses, poses[:1]]), 1, region)
    assert not at_once(solver, poses[:2].copy(), 2, region)
    far = poses[:3].copy()
    far[1, :3, 3] = 9.0
    found, other = (solver.solve(each, 1, region=region) for each in (far, far.tolist()))
    assert found.counts.tolist() == [1, 0, 1]
    assert_same(found, other)


@pytest.mark.slow
@pytest.mark.parametrize("region", [None, TaskSpaceRegion.free_axis("z")])
@pytest.mark.parametrize("wanted", [1, 10])
def test_none_is_the_same_as_of_a_checked_call(solver, wanted, region):
    poses = random_reachable_poses(solver.chain, 10, 13, solver.chain.forward)
    poses[:, :3, 3] *= 2.0 * solver.chain.reach / np.linalg.norm(poses[:, :3, 3], axis=1)[:, None]
    short = 0
    for pose in poses:
        asked = pose.copy()
        short += at_once(solver, asked, wanted, region)
        one, other = (solver.solve(each, wanted, region=region) for each in (asked, pose.tolist()))
        asked[:3, 3] = 0.3  # the caller's own
        copied = pickle.loads(pickle.dumps(one))
        for each in (one, copied):
            assert_same(each, other)
            assert each.counts.tolist() == [0]
            np.testing.assert_allclose(each.best_effort, other.best_effort, atol=1e-6)
            assert each.best_effort_message() == other.best_effort_message()
    # A search in a region takes longer, and so does one for several solutions.
    searched = region is not None or (wanted > 1 and solver._stages.branches is None)
    assert searched or short >= 8


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [1, 10])
def test_none_near_a_seed_state_is_the_same_as_of_a_checked_call(solver, rng, wanted):
    chain, short = solver.chain, 0
    poses = random_reachable_poses(chain, 20, 17, chain.forward)
    poses[:, :3, 3] *= 2.0 * chain.reach / np.linalg.norm(poses[:, :3, 3], axis=1)[:, None]
    for t, pose in enumerate(poses):
        about = [rng.uniform(chain.lower, chain.upper)]
        about += [np.full(chain.num_joints, 0.5) if t % 2 else None]
        weights = rng.uniform(0.5, 2.0, chain.num_joints) if t % 4 > 1 else None
        one, other = (
            solver.solve(each, wanted, *about, joint_weights=weights)
            for each in (pose, pose.tolist())
        )
        short += vars(one)["_unread"][0] is read_packed
        for given in (pose, *about, weights):
            if given is not None:
                given[:3] = 0.3  # the caller's own
        assert_same(one, other)
        assert one.counts.tolist() == [0]
    # Those of ten poses have no consistency limits; a few are left to a search.
    least = 8 if wanted > 1 else 16
    assert short >= least or solver._stages.branches is None


@pytest.mark.parametrize("wanted", [1, 10])
def test_the_nearest_is_the_same_as_of_a_checked_call(solver, rng, wanted):
    chain, short = solver.chain, 0
    for pose in random_reachable_poses(chain, 20, 11, chain.forward):
        near = solver.solve(pose, 1).positions[0, 0] + rng.uniform(-0.1, 0.1, chain.num_joints)
        seed = np.clip(near, chain.lower, chain.upper)
        one, other = (solver.solve(each, wanted, seed) for each in (pose, pose.tolist()))
        short += vars(one)["_unread"][0] is read_packed
        assert_same(one, other)
        assert one.timings[4:] == other.timings[4:]
        assert 0.0 < one.timings.refine < one.timings.total < 0.1
    # Several of a redundant arm's are searched for.
    assert short >= 16 or (wanted > 1 and chain.num_joints > 6)


@pytest.mark.parametrize("joints", [5, 7, 8, "panda"])
@pytest.mark.parametrize("wanted", [3, 10, 100])
def test_several_near_a_seed_state_are_what_any_search_finds(joints, wanted, rng):
    """Of an arm whose solutions form curves, and of others without a closed form."""
    chain = (
        load_robot("panda") if joints == "panda" else random_chain(rng, joints, ("revolute",))[1]
    )
    solver = IKSolver(chain)
    poses = random_reachable_poses(chain, 8, 2, chain.forward)
    seeds = rng.uniform(chain.lower, chain.upper, (8, chain.num_joints))
    for pose, seed in zip(poses, seeds, strict=True):
        first = solver.solve(pose, wanted, seed)
        at_once = solver.solve(pose, wanted, seed)
        # With less than a quarter second, a search in memory of its own is not asked.
        any_search = solver.solve(pose, wanted, seed, timeout=0.24)
        for other in (at_once, any_search):
            np.testing.assert_array_equal(first.positions, other.positions)
            np.testing.assert_array_equal(first.position_error, other.position_error)
            assert first.status == other.status
        distances = np.linalg.norm(first.of(0) - seed, axis=1)
        assert len(distances) and (np.diff(distances) >= 0.0).all()
    assert (wanted, True, True) in solver._stages.at_once.searches


@pytest.mark.parametrize("wanted", [1, 5])
def test_a_result_is_its_callers_own(solver, wanted):
    """It can be copied, and written to, before what few read is computed and afterwards."""
    pose = solver.chain.forward((solver.chain.lower + solver.chain.upper) / 2.0 + 0.1)
    seed = None if wanted > 1 else solver.solve(pose, 1).positions[0, 0] + 1e-3
    one, same, other = (solver.solve(pose, wanted, seed) for _ in range(3))
    copies = copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(same))
    for field in ("positions", "counts", "position_error", "orientation_error", "complete"):
        value = getattr(one, field)
        for of_copy in copies:
            np.testing.assert_array_equal(getattr(of_copy, field), value)
        value[...] = 0
        np.testing.assert_array_equal(getattr(other, field), getattr(copies[1], field))
    assert one.status == copies[2].status == other.status
    with pytest.raises(FrozenInstanceError):
        one.counts = other.counts  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(AttributeError, match="no attribute 'count'"):
        one.count  # noqa: B018 # pyright: ignore[reportAttributeAccessIssue]


def test_a_batch_of_one_and_a_tree_of_one_tip_take_it_too(solver):
    chain = solver.chain
    tree = KinematicTree.from_urdf(chain.description, chain.base_link, (chain.tip_link,))
    of_tree = IKSolver(tree)
    for pose in random_reachable_poses(chain, 5, 9, chain.forward):
        expected = solver.solve(pose.tolist(), 20).positions
        for one in (solver, of_tree):
            assert at_once(one, pose[None], 20)
            found = one.solve(pose[None], 20)
            np.testing.assert_array_equal(found.positions, expected)
        np.testing.assert_array_equal(of_tree.solve(pose, 20).positions, expected)
        with pytest.raises(InvalidTargetError, match="for a tree of one tip"):
            of_tree.solve(np.stack([pose] * 4).reshape(1, 2, 2, 4, 4), 20)


REGIONS = {
    "free axis": TaskSpaceRegion.free_axis("y"),
    "turn": TaskSpaceRegion([0, 0, 0, 0, 0, -0.5], [0, 0, 0, 0, 0, 0.5]),
    "slide": TaskSpaceRegion([0, 0, -0.05, 0, 0, 0], [0, 0, 0.05, 0, 0, 0]),
    "position only": TaskSpaceRegion.position_only(),
    "cone": TaskSpaceRegion.cone("z", 0.3),
    "box": TaskSpaceRegion([-0.02] * 3 + [-0.2] * 3, [0.02] * 3 + [0.2] * 3),
}


@pytest.mark.parametrize("name", REGIONS)
@pytest.mark.parametrize("wanted", [1, 2, 20])
def test_regions(solver, name, wanted):
    region, short, chain = REGIONS[name], 0, solver.chain
    for pose in random_reachable_poses(chain, 12, 8, chain.forward):
        one, other = (solver.solve(to, wanted, region=region) for to in (pose, pose.tolist()))
        short += at_once(solver, pose, wanted, region)
        assert one.counts[0] >= min(other.counts[0], wanted) > 0
        np.testing.assert_array_equal(one.positions, other.positions)
        np.testing.assert_array_equal(one.position_error, other.position_error)
        q = one.of(0)
        assert (q >= chain.lower).all() and (q <= chain.upper).all()
        gaps = outside(region, pose, chain.forward(q))
        assert gaps[0].max() <= 1e-5 and gaps[1].max() <= 1e-5
        assert one.positions.shape == (1, wanted, chain.num_joints)
    assert short >= 6 or name == "slide" or (name in ("turn", "box") and wanted == 20)


def test_other_arrays_give_the_same(solver):
    pose = random_reachable_poses(solver.chain, 1, 3, solver.chain.forward)[0]
    expected = solver.solve(pose, 20).positions
    fixed = pose.copy()
    fixed.setflags(write=False)
    others = fixed, np.asfortranarray(pose), pose.astype(">f8"), pose.tolist()
    for other in others:
        assert np.array_equal(solver.solve(other, 20).positions, expected, equal_nan=True)
    single = solver.solve(pose.astype(np.float32), 20)
    assert single.counts[0] > 0 and single.position_error[0, 0] <= 1e-5


@pytest.mark.parametrize(
    ("change", "wanted", "seed", "error", "fragment"),
    [
        (lambda pose: pose[:3], 5, None, InvalidTargetError, "(4, 4)"),
        (lambda pose: pose * np.nan, 5, None, InvalidTargetError, "NaN"),
        (lambda pose: pose * 2.0, 5, None, InvalidTargetError, "last row"),
        (lambda pose: pose @ np.diag([1, 1, -1, 1.0]), 5, None, InvalidTargetError, "reflection"),
        (lambda pose: pose, 0, None, InvalidArgumentError, "num_solutions"),
        (lambda pose: pose, True, None, InvalidArgumentError, "num_solutions"),
        (lambda pose: pose, 2.5, None, InvalidArgumentError, "num_solutions"),
        (lambda pose: pose, 5, -1, InvalidArgumentError, "random_seed"),
        (lambda pose: pose, 5, 2**63, InvalidArgumentError, "random_seed"),
        (lambda pose: pose, 5, True, InvalidArgumentError, "random_seed"),
    ],
)
def test_misuse(solver, change, wanted, seed, error, fragment):
    pose = solver.chain.forward((solver.chain.lower + solver.chain.upper) / 2.0)
    with pytest.raises(error) as caught:
        solver.solve(change(pose), wanted, random_seed=seed)
    assert fragment in str(caught.value)
