"""Stored postures of robots with several tips: the nearest ones, free, with the base fitted."""

import pickle
import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from two_arms import HANDS, URDF, two_arms

from generative_ik_ros import CollisionModel, IKSolver, KinematicTree
from generative_ik_ros.errors import UnsupportedChainError
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.limbs import limbs_of
from generative_ik_ros.samplers.postures import Places, Postures
from generative_ik_ros.samplers.stored import spread_configurations

BOUNDS = [-2.0, -2.0, -2.0, -3.2, -1.6, -3.2], [2.0, 2.0, 2.0, 3.2, 1.6, 3.2]
STANDING, FLOATING = two_arms(), two_arms(floating_base=BOUNDS)
BALL = "<collision><geometry><sphere radius='0.15'/></geometry></collision></link>"
BASE = [FLOATING.names.index(name) for name in FLOATING.base_joints]


def _all_free(positions):
    return np.ones(len(positions), np.bool_)


def ask(tree, targets, count, *, free=None, random_seed=0):
    request = SeedRequest(targets, count, *finite_limits(tree), random_seed)
    return Postures(tree, free=free).propose(request)


def test_the_first_seed_of_a_stored_posture_is_that_wherever_its_base_is():
    stored = spread_configurations(FLOATING, 50)[30:]
    stored[:, BASE] = np.random.default_rng(0).uniform(-1.5, 1.5, (len(stored), 6))
    targets = FLOATING.forward(stored)
    seeds = ask(FLOATING, targets, 1)[:, 0]
    np.testing.assert_allclose(seeds, stored, atol=1e-6)
    np.testing.assert_allclose(FLOATING.forward(seeds), targets, atol=1e-6)


def test_where_no_base_floats_it_is_too():
    stored = spread_configurations(STANDING, 50)[30:]
    np.testing.assert_array_equal(ask(STANDING, STANDING.forward(stored), 1)[:, 0], stored)


@pytest.mark.parametrize("tree", [STANDING, FLOATING], ids=["standing", "floating"])
def test_seeds_are_nearer_than_chance(tree):
    targets = random_reachable_poses(tree, 20, 1)
    seeds, others = ask(tree, targets, 16), random_reachable_poses(tree, 16, 2)
    gaps = np.linalg.norm(tree.forward(seeds) - targets[:, None], axis=(-2, -1))
    by_chance = np.linalg.norm(others - targets[:, None], axis=(-2, -1))
    fitted = len(tree.base_joints) > 0
    assert gaps.mean() < (0.4 if fitted else 0.8) * by_chance.mean()
    assert gaps[:, 0].mean() < 0.8 * gaps.mean()


def test_limbs_are_the_joints_that_move_one_tip_alone():
    arms = [
        {name for name in STANDING.names if name.startswith(side)} for side in ("left", "right")
    ]
    for tree in (STANDING, FLOATING):
        found = [{tree.names[v] for v in limb.variables} for limb in limbs_of(tree)]
        assert found == arms
    one = two_arms(tip_links=("left_hand",), floating_base=BOUNDS)
    (limb,) = limbs_of(one)
    assert {one.names[v] for v in limb.variables} == set(one.names) - set(one.base_joints)
    # Only the right arm moves one goal alone: the left one carries what the other is given in.
    tray = two_arms(reference_links={"right_hand": "left_hand"})
    assert [({tray.names[v] for v in limb.variables}) for limb in limbs_of(tray)] == arms[1:]


def test_a_joint_that_another_limb_follows_is_part_of_none():
    urdf = URDF.read_text()
    mimic = '<mimic joint="left_j0"/>'
    urdf = re.sub(r'(<joint name="right_j5".*?)(</joint>)', rf"\1{mimic}\2", urdf, flags=re.S)
    tree = KinematicTree.from_urdf(urdf, tip_links=HANDS)
    assert tree.num_joints == STANDING.num_joints - 1
    (limb,) = limbs_of(tree)  # The other one ends where it begins.
    assert {tree.names[v] for v in limb.variables} == {f"left_j{k}" for k in range(1, 6)}
    targets = random_reachable_poses(tree, 2, 1)
    assert IKSolver(tree, "postures").solve(targets, 2).counts.tolist() == [2, 2]


def test_one_solution_is_searched_for_from_few_seeds_first():
    solver = IKSolver(FLOATING, "postures")
    targets = random_reachable_poses(FLOATING, 10, 1)
    for target in targets:
        found = solver.solve(target, 1)
        assert found.counts[0] == 1 and found.timings.rounds >= 1
        np.testing.assert_allclose(FLOATING.forward(found.of(0)[0]), target, atol=3e-5)
    assert solver.solve(targets[0], 1).timings.seeds <= 16


def test_on_a_floating_base_some_are_near_the_neutral_configuration():
    for tree, given in ((STANDING, False), (FLOATING, True)):
        neutral = np.clip(0.0, tree.lower, tree.upper)
        close = neutral + 0.3 * (spread_configurations(tree, 30) - neutral)
        close[:, BASE if given else []] = 0.0
        seeds = ask(tree, tree.forward(close), 1)[:, 0]
        assert (np.abs(seeds - close).max(axis=1) < 1e-6).all() == given


def test_points_are_moved_as_near_to_the_mean_as_they_can_be():
    rng = np.random.default_rng(2)
    points, mean = rng.normal(size=(40, 5, 3)), rng.normal(size=(5, 3))
    mean -= mean.mean(axis=0)
    places = Places.of(points, mean)
    for k, own in enumerate(points):
        best, _ = Rotation.align_vectors(mean, own - own.mean(axis=0))
        np.testing.assert_allclose(places.turns[k], best.as_matrix(), atol=1e-9)
        moved = best.apply(own - places.centres[k])
        np.testing.assert_allclose(places.features[k].reshape(5, 3), moved, atol=1e-5)


def test_seeds_are_free_where_solutions_must_be():
    def free(positions):
        return positions[:, -1] > 0.5

    targets = random_reachable_poses(FLOATING, 3, 1)
    assert not free(ask(FLOATING, targets, 100).reshape(-1, FLOATING.num_joints)).all()
    assert free(ask(FLOATING, targets, 100, free=free).reshape(-1, FLOATING.num_joints)).all()


def test_where_hardly_anything_is_free_other_postures_fill_up():
    seeds = ask(
        FLOATING, random_reachable_poses(FLOATING, 1, 1), 1024, free=lambda q: q[:, -1] > 9
    )
    assert np.isfinite(seeds).all() and len(np.unique(seeds[0], axis=0)) == 1024


def test_one_tip_on_a_floating_base_needs_no_search():
    tree = two_arms(tip_links=("left_hand",), floating_base=BOUNDS)
    target = random_reachable_poses(tree, 1, 4)
    near = tree.forward(ask(tree, target, 200)[0])
    inside = np.abs(near - target).max(axis=(1, 2, 3)) < 1e-6
    assert inside.mean() > 0.15  # The others would need the base to be beyond its bounds.


@pytest.mark.parametrize("later", [False, True])
def test_auto_has_postures_that_are_free_where_collisions_are_checked(later):
    urdf = URDF.read_text()
    for link in (*HANDS, "torso"):
        urdf = urdf.replace(f'<link name="{link}"/>', f'<link name="{link}">{BALL}')
    tree = KinematicTree.from_urdf(urdf, tip_links=HANDS, floating_base=BOUNDS)
    model = CollisionModel.from_urdf(tree.description)
    solver = IKSolver(tree, collision=None if later else model)
    if later:
        assert solver.sampler.name == "quasi_random"
        solver = solver.with_collision(model)
    assert solver.sampler.name == "postures" and IKSolver(STANDING).sampler.name == "quasi_random"
    request = SeedRequest(random_reachable_poses(tree, 2, 1), 1024, *finite_limits(tree), 0)
    seeds, plain = solver.sampler.propose(request)[0], Postures(tree).propose(request)[0]
    # Stored ones are free, and so are most that are put together of them.
    assert solver.collides(seeds).mean() < 0.5 * solver.collides(plain).mean()
    found = solver.solve(request.targets, 3)
    assert found.sampler == "postures" and (found.counts == 3).all()
    assert not solver.collides(found.positions).any()


def test_postures_among_free_ones_are_stored_before_any_call_and_once():
    asked = []

    def free(positions):
        asked.append(len(positions))
        return np.ones(len(positions), np.bool_)

    plain = Postures(FLOATING)
    sampler = plain.among_free(free)
    stored = list(asked)
    assert stored == 2 * [4096] and plain.among_free(free) is sampler
    targets = random_reachable_poses(FLOATING, 1, 1)
    sampler.propose(SeedRequest(targets, 16, *finite_limits(FLOATING), 0))
    assert asked == stored
    # Nor by one that a copy makes.
    again = pickle.loads(pickle.dumps(Postures(FLOATING).among_free(_all_free)))
    assert again._bank is not None
    request = SeedRequest(targets, 16, *finite_limits(FLOATING), 0)
    np.testing.assert_array_equal(again.propose(request), sampler.propose(request))


def test_chains_are_refused(panda):
    with pytest.raises(UnsupportedChainError, match="chains take 'retrieval'"):
        Postures(panda)
