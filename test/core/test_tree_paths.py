"""Paths of trees: several tips at once, and closed loops that stay closed."""

import numpy as np
import pytest
from robots import assert_follows
from two_arms import URDF, two_arms

from generative_ik_ros import IKSolver, KinematicTree, TaskSpaceRegion, load_robot, pose_matrix
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError

pytestmark = pytest.mark.slow


def sway(tree, number=60):
    """(number, n) smooth motions about the middle of the joints' ranges."""
    lower = np.where(np.isfinite(tree.lower), tree.lower, -1.0)
    upper = np.where(np.isfinite(tree.upper), tree.upper, 1.0)
    middle, time = (lower + upper) / 2.0, np.linspace(0.0, 2.0, number)[:, None]
    phase = np.linspace(0.0, 5.0, tree.num_joints)
    return middle + 0.4 + 0.3 * (np.sin(time + phase) - np.sin(phase))


def test_two_hands_follow_two_lines_at_once():
    tree = two_arms()
    q = sway(tree)
    targets = tree.forward(q)
    for seed_state in (q[0], None):
        path = IKSolver(tree).solve_path(targets, seed_state)
        assert path.complete
        assert_follows(tree, targets, path)
    assert path.joint_names == tree.names


def test_what_is_free_is_used_for_a_shorter_path():
    """Thirteen joints and two poses: one more than is held, by which paths are smoothed."""
    tree = two_arms()
    q = sway(tree)
    targets = tree.forward(q)
    # Needless self-motion on the way.
    path = IKSolver(tree).solve_path(targets, objective="length", timeout=3.0)
    assert path.complete
    assert_follows(tree, targets, path)
    straight = np.linalg.norm(np.diff(q, axis=0), axis=1).sum()
    assert path.length <= straight + 1e-6
    free = [TaskSpaceRegion.position_only()] * 2
    looser = IKSolver(tree).solve_path(targets, region=free, objective="length", timeout=3.0)
    assert looser.complete and looser.length < 0.9 * path.length
    tips = tree.forward(looser.positions)
    assert np.abs(tips[..., :3, 3] - targets[..., :3, 3]).max() < 2e-5
    one = IKSolver(tree).solve_path(targets, region={"left_hand": TaskSpaceRegion.free()})
    assert one.complete
    np.testing.assert_allclose(tree.forward(one.positions)[:, 1], targets[:, 1], atol=3e-5)


def test_a_hand_that_is_held_to_the_other():
    tree = two_arms(reference_links={"right_hand": "left_hand"})
    targets = tree.forward(sway(tree))
    path = IKSolver(tree).solve_path(targets)
    assert path.complete
    assert_follows(tree, targets, path)


def test_a_tree_of_one_tip_has_the_path_of_its_chain():
    panda = load_robot("panda")
    tree = KinematicTree.from_urdf(panda.description, panda.base_link, [panda.tip_link])
    q = np.linspace(0.4, 0.5, 30)[:, None] * (panda.upper - panda.lower) + panda.lower
    targets = panda.forward(q)
    path = IKSolver(panda).solve_path(targets, q[0])
    for shaped in (targets, targets[:, None]):
        same = IKSolver(tree).solve_path(shaped, q[0])
        np.testing.assert_array_equal(same.positions, path.positions)
    region = TaskSpaceRegion.free_axis("z")
    np.testing.assert_array_equal(
        IKSolver(tree).solve_path(targets, q[0], region=region).positions,
        IKSolver(panda).solve_path(targets, q[0], region=region).positions,
    )


def test_among_obstacles_both_arms_are_checked():
    """The boxes of the hands: straight ways collide in the middle, so the path ends before it."""
    urdf = URDF.read_text()
    box = "<collision><geometry><box size='0.06 0.06 0.06'/></geometry></collision>"
    for hand in ("left_hand", "right_hand"):
        assert f'<link name="{hand}"/>' in urdf
        urdf = urdf.replace(f'<link name="{hand}"/>', f'<link name="{hand}">{box}</link>')
    tree = KinematicTree.from_urdf(urdf, tip_links=["left_hand", "right_hand"])
    solver = IKSolver(tree, collision=CollisionModel.from_urdf(urdf))
    side = np.linspace(0.25, 0.0, 40)
    targets = np.stack([np.stack([pose(0.5, y, 1.1), pose(0.5, -y, 1.1)]) for y in side])
    assert IKSolver(tree).solve_path(targets).complete
    path = solver.solve_path(targets)
    assert 0 < path.num_reached < 40 and path.reason
    assert abs(side[path.num_reached - 1]) >= 0.03 - 1e-6
    assert side[path.num_reached - 1] < 0.05
    # A block where the left hand would go.
    apart = np.linspace(0.3, 0.5, 40)
    outwards = np.stack([np.stack([pose(0.5, y, 1.1), pose(0.5, -0.3, 1.1)]) for y in apart])
    assert solver.solve_path(outwards).complete
    scene = Scene(boxes={"block": ((0.1, 0.1, 0.1), (0.5, 0.5, 1.1))})
    stopped = solver.solve_path(outwards, scene=scene)
    assert apart[stopped.num_reached - 1] == pytest.approx(0.42, abs=0.01)


def pose(x, y, z):
    return pose_matrix([x, y, z], [0.0, 0.0, 0.0, 1.0])


def test_misuse_is_refused():
    solver = IKSolver(two_arms())
    with pytest.raises(InvalidTargetError, match="2 tips"):
        solver.solve_path(np.stack([np.eye(4)] * 3))
    with pytest.raises(InvalidArgumentError, match="regions for 2 tips"):
        solver.solve_path(np.stack([[np.eye(4)] * 2] * 3), region=[None] * 3)
    targets = solver.chain.forward(sway(solver.chain))
    with pytest.raises(InvalidArgumentError, match="end_state is no solution"):
        solver.solve_path(targets, end_state=np.zeros(solver.chain.num_joints))
