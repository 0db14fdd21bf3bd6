"""Robots with a floating base: where they stand in the world, and what bounds mean."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from test_chain import LIMIT, Z, joint, link, robot
from test_kinematic_tree import TWO_ARMS

from generative_ik_ros.errors import InvalidArgumentError, RobotDescriptionError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree

ROOM = ([-3, -2, 0.0, -0.3, -0.2, -np.inf], [3, 2, 0.5, 0.4, 0.2, np.inf])
NAMES = ("world_x", "world_y", "world_z", "world_yaw", "world_pitch", "world_roll")
HANDS = ("l4", "l7")


def test_the_root_stands_where_the_six_joints_say():
    tree = KinematicTree.from_urdf(TWO_ARMS, None, HANDS, floating_base=ROOM)
    standing = KinematicTree.from_urdf(TWO_ARMS, None, HANDS)
    assert tree.base_link == tree.description.root == "world"
    assert tree.names == (*NAMES, *standing.names) and tree.base_joints == NAMES
    assert tree.lower[:6].tolist() == [-3, -2, 0, -np.inf, -0.2, -0.3]
    assert tree.upper[:6].tolist() == [3, 2, 0.5, np.inf, 0.2, 0.4]
    assert tree.continuous[:6].tolist() == [False, False, False, True, False, False]
    assert tree.prismatic[:6].tolist() == [True] * 3 + [False] * 3
    x, y, z, yaw, pitch, roll = place = [1.0, -2.0, 0.3, 2.0, -0.1, 0.4]
    q = np.random.default_rng(0).uniform(-0.1, 0.3, standing.num_joints)
    root = np.eye(4)
    # Extrinsic roll, pitch, yaw, as a URDF's rpy.
    root[:3, :3] = Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix()
    root[:3, 3] = x, y, z
    np.testing.assert_allclose(
        tree.forward([*place, *q]), root @ standing.forward(q), rtol=0, atol=1e-14
    )


def test_the_base_may_be_anywhere_and_where_nothing_moves_against_it_stands():
    tree = KinematicTree.from_urdf(
        TWO_ARMS, "l0", ["l4", "world"], reference_links={"l4": "l1"}, floating_base=ROOM
    )
    assert set(tree.names) == {"j2", "j3", *NAMES}
    arms = KinematicTree.from_urdf(TWO_ARMS, "l0", ["l4"], floating_base=ROOM)
    assert arms.names == ("j1", "j2", "j3")


def test_bounds_that_coincide_pin_the_base():
    """A base on wheels: x, y and yaw."""
    wheels = ([-3, -2, 0.1, 0, 0, -np.inf], [3, 2, 0.1, 0, 0, np.inf])
    tree = KinematicTree.from_urdf(TWO_ARMS, None, HANDS, floating_base=wheels)
    assert tree.names[:3] == ("world_x", "world_y", "world_yaw") and tree.num_joints == 8
    assert tree.fixed == {"world_z": 0.1, "world_pitch": 0.0, "world_roll": 0.0}
    assert tree.forward(np.zeros(8))[0, 2, 3] == pytest.approx(
        0.1 + KinematicTree.from_urdf(TWO_ARMS, None, HANDS).forward(np.zeros(5))[0, 2, 3]
    )
    still = KinematicTree.from_urdf(
        TWO_ARMS, None, HANDS, floating_base=wheels, fixed={"world_yaw": 1.0, "j1": 0.5}
    )
    assert still.names == ("world_x", "world_y", "j2", "j3", "j5", "j6")
    assert still.fixed == {**tree.fixed, "world_yaw": 1.0, "j1": 0.5}


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_a_root_joint_that_floats_is_what_a_floating_base_replaces(kind):
    text = TWO_ARMS.replace("<robot>", '<robot><link name="world"/>')
    text = text.replace("</robot>", joint("drift", "world", "l0", kind) + "</robot>")
    hint = f"'drift'.* is {kind}; .*pass base_link='l0', or floating_base= to a KinematicTree"
    for tip in (None, "l4"):
        with pytest.raises(RobotDescriptionError, match=hint):
            KinematicChain.from_urdf(text, tip_link=tip)
    with pytest.raises(RobotDescriptionError, match="is .*; .*: pass tip_link='l0'"):
        KinematicChain.from_urdf(text, "l4", "world")
    assert KinematicChain.from_urdf(text, "l0", "l4").num_joints == 3
    tree = KinematicTree.from_urdf(text, None, HANDS, floating_base=ROOM)
    plain = KinematicTree.from_urdf(TWO_ARMS, None, HANDS, floating_base=ROOM)
    assert (tree.base_link, tree.names) == (plain.base_link, plain.names)
    np.testing.assert_array_equal(
        tree.forward(tree.lower.clip(-1)), plain.forward(plain.lower.clip(-1))
    )


def test_room_to_travel_is_part_of_the_reach_but_no_measure_of_the_robot():
    standing = KinematicTree.from_urdf(TWO_ARMS, None, HANDS)
    tree = KinematicTree.from_urdf(TWO_ARMS, None, HANDS, floating_base=ROOM)
    mounted = np.linalg.norm(standing.joint_origins[0, :3, 3])
    assert tree.reach == pytest.approx(standing.reach + mounted + 3 + 2 + 0.5)
    assert tree.characteristic_length == pytest.approx((standing.reach + mounted) / 2)
    assert tree.joint_units[:3].tolist() == [tree.characteristic_length] * 3
    # A single tip's chain has no other measure than its reach.
    one = KinematicTree.from_urdf(TWO_ARMS, None, ["l4"], floating_base=ROOM)
    assert one.characteristic_length == one.chains[0].characteristic_length == one.reach / 2


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        (([0] * 5, [1] * 5), r"shape \(2, 5\)"),
        ([1] * 6, r"shape \(6,\)"),
        ("here", "array of numbers"),
        (([0, 0, 0, 0, 0, 0], [1, 1, np.inf, 1, 1, 1]), "of z must be finite, not 0 and inf"),
        (([-np.inf] * 3 + [0] * 3, [np.inf] * 3 + [0] * 3), "of x must be finite, not -inf"),
        (([0] * 6, [1, 1, 1, 1, np.inf, 1]), "of pitch must be finite, or both infinite"),
        (([np.nan] + [0] * 5, [1] * 6), "of x must be finite, not nan"),
        (([0] * 6, [1, 1, 1, np.nan, 1, 1]), "of roll must be finite, or"),
        (([0] * 6, [1, -1, 1, 1, 1, 1]), "y has lower bound 0 above its upper bound -1"),
    ],
)
def test_bad_bounds_are_named(bounds, message):
    with pytest.raises(InvalidArgumentError, match=message):
        KinematicTree.from_urdf(TWO_ARMS, None, HANDS, floating_base=bounds)


@pytest.mark.parametrize(("old", "new"), [("l0", "world"), ("l1", "world_x_link")])
def test_a_link_of_the_same_name_is_an_error(old, new):
    text = robot(link(1), link(2)).replace(f'"{old}"', f'"{new}"')
    with pytest.raises(RobotDescriptionError, match=f"has a link '{new}', which a floating base"):
        KinematicTree.from_urdf(text, None, ["l2"], floating_base=ROOM)


def test_a_joint_of_the_same_name_is_an_error():
    text = robot(link(1, inside=Z + LIMIT)).replace('"j1"', '"world_yaw"')
    with pytest.raises(RobotDescriptionError, match="has a joint 'world_yaw', which"):
        KinematicTree.from_urdf(text, None, ["l1"], floating_base=ROOM)
