"""The compiled check against pinocchio and coal: never wrong in either direction."""

import numpy as np
import pytest

pytest.importorskip("pinocchio")
pytest.importorskip("coal")
from arm import Oracle
from robots import random_positions

from generative_ik_ros import Scene
from generative_ik_ros.collision.checker import CollisionChecker
from generative_ik_ros.collision.shapes import Box
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.robot.poses import pose_matrix


@pytest.fixture(scope="module")
def checker(arm_model, arm):
    return CollisionChecker(arm_model, arm)


@pytest.mark.parametrize("seed", range(4))
def test_verdicts_are_true(arm, arm_urdf, checker, random_scene, seed):
    """Free configurations do not collide, colliding ones are nowhere 1 mm away from it."""
    rng = np.random.default_rng(seed)
    scene = random_scene(rng) if seed else None
    check, oracle = checker.at(scene), Oracle(arm_urdf, scene)
    q = random_positions(arm, rng, 600)
    verdicts = check.verdicts(q)
    free = np.array([oracle.free(one) for one in q])
    assert free[verdicts == Verdict.FREE].all()
    for one in q[(verdicts == Verdict.COLLIDING) & free]:
        assert oracle.distance(one) < 1e-3
    assert (verdicts == Verdict.FREE).any()
    if scene is not None:
        assert (verdicts == Verdict.COLLIDING).any()
    # Most of it is decided without the shapes themselves.
    assert (verdicts == Verdict.UNDECIDED).mean() < 0.2


@pytest.mark.parametrize("seed", range(2))
def test_exact_decisions_are_the_oracles(arm, arm_urdf, checker, random_scene, seed):
    rng = np.random.default_rng(100 + seed)
    scene = random_scene(rng, 15)
    check, oracle = checker.at(scene), Oracle(arm_urdf, scene)
    q = random_positions(arm, rng, 1500)
    undecided = q[check.verdicts(q) == Verdict.UNDECIDED]
    assert len(undecided) > 10
    for one in undecided[:60]:
        if check.collides(one) == oracle.free(one):
            assert abs(oracle.distance(one)) < 2e-5


def test_colliding_pairs_are_named(arm, checker):
    wall = Scene(boxes={"wall": ((2.0, 0.05, 2.0), (0.0, 0.3, 0.0))})
    check = checker.at(wall)
    out = np.array([np.pi / 2, 1.3, 0.0, -0.3, 0.0, 1.0, 0.0])
    link, obstacle = check.colliding_pair(out)
    assert obstacle == "wall" and link.startswith("link")
    assert check.colliding_pair(-out * [1, -1, 1, -1, 1, -1, 1]) is None


def test_clearance_is_a_lower_bound(arm, arm_urdf, checker, random_scene, rng):
    scene = random_scene(rng)
    check, oracle = checker.at(scene), Oracle(arm_urdf, scene)
    q = random_positions(arm, rng, 400)
    q = q[check.verdicts(q) == Verdict.FREE][:60]
    bounds = check.clearance(q)
    true = np.array([oracle.distance(one) for one in q])
    assert (bounds > 0.0).all() and (bounds <= true + 1e-9).all()
    assert (true - bounds).max() < 0.05
    np.testing.assert_allclose(check.distances(q), true, atol=1e-6)


def test_clearance_does_not_depend_on_what_was_measured_before(arm, checker, random_scene, rng):
    """What was nearest last is measured first, which must not show: calls repeat."""
    check = checker.at(random_scene(rng))
    ends = random_positions(arm, rng, 12)
    way = np.linspace(ends[:-1], ends[1:], 40).transpose(1, 0, 2).reshape(-1, arm.num_joints)
    together = check.clearance(way)
    alone = np.concatenate([check.clearance(one[None]) for one in way])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(check.clearance(way[::-1])[::-1], alone)
    assert len(np.unique(alone)) > 100
    way = way[check.verdicts(way) == Verdict.FREE]
    alone = np.concatenate([check.distances(one[None]) for one in way])
    np.testing.assert_allclose(check.distances(way), alone, rtol=1e-6)


def test_padding_is_a_distance_to_obstacles(arm, arm_urdf, checker, random_scene, rng):
    bare = random_scene(rng, 6)
    scene = Scene.of(bare.obstacles, padding=0.03)
    check, oracle = checker.at(scene), Oracle(arm_urdf, bare)
    alone = Oracle(arm_urdf)
    q = random_positions(arm, rng, 400)
    verdicts = check.verdicts(q)
    free, colliding = q[verdicts == Verdict.FREE], q[verdicts == Verdict.COLLIDING]
    assert min(len(free), len(colliding)) > 10
    for one in free:
        assert oracle.distance(one) >= min(0.03, alone.distance(one)) - 1e-9
    for one in colliding:
        assert oracle.distance(one) < 0.031


def test_an_obstacle_inside_a_link_collides(arm, arm_model, checker):
    """It touches no triangle of a mesh, but a robot is no shell."""
    frames = arm.description
    q = np.array([0.3, 0.4, 0.2, -1.5, 0.1, 1.2, 0.3])
    from generative_ik_ros.robot.tree import link_transforms

    places = link_transforms(frames, dict(zip(arm.names, q, strict=True)), "link0")
    center = places["link2"][0] @ np.array([0.0, -0.08, 0.0, 1.0])
    scene = Scene(spheres=[(0.004, center[:3])])
    assert checker.at(scene).collides(q)


def test_attached_tools_and_allowed_contacts_count(arm, arm_model):
    q = np.array([0.0, 0.3, 0.0, -1.2, 0.0, 1.5, 0.0])
    tip = arm.forward(q)
    beyond = tip @ pose_matrix((0.0, 0.0, 0.35), (0, 0, 0, 1))
    scene = Scene(boxes={"can": ((0.05, 0.05, 0.05), beyond)})
    assert not CollisionChecker(arm_model, arm).at(scene).collides(q)
    rod = Box((0.02, 0.02, 0.4), pose=pose_matrix((0.0, 0.0, 0.2), (0, 0, 0, 1)))
    carrying = CollisionChecker(arm_model.attach("tool", [rod], name="rod"), arm)
    assert carrying.at(scene).colliding_pair(q) == ("rod", "can")
    may = Scene(boxes={"can": ((0.05, 0.05, 0.05), beyond)}, allowed=[("can", "rod")])
    assert not carrying.at(may).collides(q)


def test_many_checks_do_not_disturb_each_other(arm, checker, random_scene, rng):
    from concurrent.futures import ThreadPoolExecutor

    check = checker.at(random_scene(rng))
    q = random_positions(arm, rng, 2000)
    alone = check.verdicts(q)
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(check.verdicts, np.array_split(q, 16)))
    np.testing.assert_array_equal(np.concatenate(parts), alone)
