"""Collision checks of trees, of joints that stand, and of robots with a floating base."""

import numpy as np
import pytest

from generative_ik_ros import CollisionModel, IKSolver, KinematicChain, KinematicTree, Scene
from generative_ik_ros.collision.checker import CollisionChecker
from generative_ik_ros.errors import InvalidArgumentError

BALL = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
HINGE = "<axis xyz='0 0 1'/><limit lower='-3' upper='3'/>"
SLIDE = "<axis xyz='1 0 0'/><limit lower='0' upper='1'/>"


def joint(name, parent, child, at, kind="revolute", inside=HINGE):
    return (
        f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>"
        f"<origin xyz='{at}'/>{inside}</joint>"
    )


ARMS = (
    "<robot name='arms'><link name='body'/>"
    + "".join(
        f"<link name='{side}_arm'/><link name='{side}_hand'>{BALL}</link>"
        + joint(f"{side}_shoulder", "body", f"{side}_arm", at)
        + joint(f"{side}_reach", f"{side}_arm", f"{side}_hand", "0.3 0 0", "prismatic", SLIDE)
        for side, at in (("left", "0 0.5 0"), ("right", "0 -0.5 0"))
    )
    + "<link name='thumb'>"
    + BALL
    + "</link>"
    + joint(
        "thumb", "left_hand", "thumb", "0 0 0.3", "prismatic",
        "<axis xyz='0 0 1'/><mimic joint='right_reach' multiplier='0.5'/>",
    )
    + "</robot>"
)  # fmt: skip
"""Two shoulders 1 m apart, hands like balls that reach 0.3 to 1.3 m, and a thumb 0.3 m above the
left hand, which the right arm's reach lifts."""
HANDS = ("left_hand", "right_hand")
UP = np.pi / 2


@pytest.fixture(scope="module")
def model():
    return CollisionModel.from_urdf(ARMS)


def centres(tree, q):
    return tree.forward(q)[..., :3, 3]


def test_two_arms_that_touch_each_other_are_seen(model):
    """Every verdict is that of the distance between the hands, whose balls are 0.2 m across."""
    tree = KinematicTree.from_urdf(ARMS, tip_links=HANDS)
    check = CollisionChecker(model, tree).at(None)
    # Straight to the front they are 1 m apart; turned to each other, 0.4 m and then not at all.
    apart, near = [0.0, 0.5, 0.0, 0.5], [-UP, 0.0, UP, 0.0]
    touching = [-UP, 0.15, UP, 0.1]
    assert check.colliding(np.array([apart, near, touching])).tolist() == [False, False, True]
    assert check.colliding_pair(np.array(touching)) == HANDS
    assert check.clearance(np.array([near]))[0] == pytest.approx(0.2, abs=1e-3)
    q = np.random.default_rng(0).uniform(tree.lower, tree.upper, (20_000, tree.num_joints))
    gap = np.linalg.norm(np.diff(centres(tree, q), axis=1)[:, 0], axis=1) - 0.2
    thumb = centres(tree, q)[:, 0] + [0, 0, 0.3] + np.outer(0.5 * q[:, 3], [0, 0, 1])
    gap = np.minimum(gap, np.linalg.norm(thumb - centres(tree, q)[:, 1], axis=1) - 0.2)
    sure = np.abs(gap) > 1e-6
    assert 0.005 < (gap < 0).mean() < 0.5
    np.testing.assert_array_equal(check.colliding(q)[sure], gap[sure] < 0)


def test_one_arm_sees_the_other_where_the_model_says():
    chain = KinematicChain.from_urdf(ARMS, tip_link="left_hand")
    q = np.array([[-UP, 0.15]])
    for reach, hit in ((0.1, True), (0.4, True), (0.9, False)):
        model = CollisionModel.from_urdf(
            ARMS, joint_positions={"right_shoulder": UP, "right_reach": reach}
        )
        # The hands are on one line: at 0.05 and at reach - 0.2 from the middle.
        assert CollisionChecker(model, chain).at(None).colliding(q).tolist() == [hit]


def test_what_is_fixed_stands_where_the_chain_says():
    """Whatever the model says; the thumb follows the reach of the other arm."""
    model = CollisionModel.from_urdf(ARMS, joint_positions={"right_reach": 0.9})
    shelf = Scene(boxes={"shelf": ((4.0, 4.0, 0.1), (0.0, 0.0, 0.75))})
    q = np.array([[0.0, 0.5]])
    # The thumb is 0.3 + 0.5 * reach high, the shelf begins at 0.7.
    for reach, hit in ((0.5, False), (0.65, True)):
        fixed = {"right_reach": reach, "right_shoulder": 0.0}
        chain = KinematicChain.from_urdf(ARMS, tip_link="left_hand", fixed=fixed)
        check = CollisionChecker(model, chain).at(shelf)
        assert check.colliding(q).tolist() == [hit]
        if hit:
            assert check.colliding_pair(q[0]) == ("thumb", "shelf")
    with_tip = KinematicChain.from_urdf(ARMS, tip_link="thumb", fixed={"right_reach": 0.2})
    assert with_tip.forward([0, 0])[2, 3] == pytest.approx(0.4)
    assert not CollisionChecker(model, with_tip).at(None).colliding(q).any()


def test_relative_goals_are_checked_too(model):
    tree = KinematicTree.from_urdf(
        ARMS, None, ["right_hand"], reference_links={"right_hand": "left_hand"}
    )
    check = CollisionChecker(model, tree).at(None)
    by_name = {"left_shoulder": -UP, "left_reach": 0.15, "right_shoulder": UP, "right_reach": 0.1}
    assert check.collides(np.array([by_name[name] for name in tree.names]))


def test_a_floating_robot_among_boxes():
    """It may stand anywhere in the room but where the box is; scenes are in the world."""
    room = ([-2, -2, 0, 0, 0, -np.pi], [2, 2, 0, 0, 0, np.pi])
    tree = KinematicTree.from_urdf(ARMS, None, HANDS, floating_base=room)
    assert tree.names[:3] == ("world_x", "world_y", "world_yaw")
    model = CollisionModel.from_urdf(tree.description)
    crate = Scene(boxes={"crate": ((0.6, 0.6, 0.6), (1.0, 0.0, 0.0))})
    check = CollisionChecker(model, tree).at(crate)
    rng = np.random.default_rng(1)
    q = rng.uniform(tree.lower, tree.upper, (5000, tree.num_joints))
    alone = CollisionChecker(model, tree).at(None).colliding(q)
    hands = centres(tree, q)
    thumb = hands[:, :1] + [0, 0, 0.3] + 0.5 * q[:, None, -1:] * [0, 0, 1]
    balls = np.concatenate([hands, thumb], axis=1)
    outside = np.maximum(np.abs(balls - [1.0, 0.0, 0.0]) - 0.3, 0.0)
    gap = np.linalg.norm(outside, axis=-1).min(axis=1) - 0.1
    sure = np.abs(gap) > 1e-6
    hit = (gap < 0) | alone
    assert 0.05 < hit.mean() < 0.5
    np.testing.assert_array_equal(check.colliding(q)[sure], hit[sure])
    # The same crate, carried by the robot's root, is where it always was to the robot.
    with pytest.raises(InvalidArgumentError, match="which the chain moves; attach it"):
        CollisionChecker(model, tree).at(
            Scene(boxes=[((0.6, 0.6, 0.6), (1.0, 0.0, 0.0))], frame="body")
        )


def test_a_floating_robot_is_solved_for_among_boxes():
    """What can be free is found free; what is not found is known in collision only."""
    room = ([-2, -2, 0, 0, 0, -np.pi], [2, 2, 0, 0, 0, np.pi])
    tree = KinematicTree.from_urdf(ARMS, None, HANDS, floating_base=room)
    solver = IKSolver(tree, collision=CollisionModel.from_urdf(tree.description))
    crate = Scene(boxes={"crate": ((0.6, 0.6, 0.6), (1.0, 0.0, 0.0))})
    q = np.random.default_rng(0).uniform(tree.lower, tree.upper, (50, tree.num_joints))
    known = solver.collides(q, scene=crate)
    assert 5 < known.sum() < 25
    targets = tree.forward(q)
    found = solver.solve(targets, 3, scene=crate)
    assert (found.counts[~known] > 0).all()
    for target, solutions in zip(targets, map(found.of, range(50)), strict=True):
        placed = tree.forward(solutions)
        assert np.abs(placed - target).max(initial=0.0) <= 2e-5
        assert not solver.collides(solutions, scene=crate).any()


def test_meshes_beside_the_file_are_found_for_a_robot_in_the_world(arm_urdf):
    """The extended description remembers its file, for addresses relative to it."""
    text = arm_urdf.read_text().replace("package://arm/", "")
    beside = arm_urdf.with_name("beside.urdf")
    beside.write_text(text)
    room = ([-1] * 3 + [-1] * 3, [1] * 6)
    tree = KinematicTree.from_urdf(beside, "link0", ["tool"], floating_base=room)
    model = CollisionModel.from_urdf(tree.description, srdf=arm_urdf.with_suffix(".srdf"))
    plain = CollisionModel.from_urdf(beside, srdf=arm_urdf.with_suffix(".srdf"))
    q = np.random.default_rng(0).uniform(tree.lower, tree.upper, (200, tree.num_joints))
    hit = CollisionChecker(model, tree).at(None).colliding(q)
    np.testing.assert_array_equal(
        hit, CollisionChecker(plain, tree.chains[0]).at(None).colliding(q)
    )
    assert 0 < hit.mean() < 1


def test_models_of_another_robot_are_refused(model):
    tree = KinematicTree.from_urdf(ARMS, tip_links=HANDS)
    room = ([-2] * 6, [2] * 6)
    floating = KinematicTree.from_urdf(ARMS, tip_links=HANDS, floating_base=room)
    with pytest.raises(InvalidArgumentError, match="'arms' has no link 'world' of the chain"):
        CollisionChecker(model, floating)
    shifted = CollisionModel.from_urdf(ARMS.replace("0 -0.5 0", "0 -0.6 0"))
    with pytest.raises(InvalidArgumentError, match="place 'right_hand' differently"):
        CollisionChecker(shifted, tree)
