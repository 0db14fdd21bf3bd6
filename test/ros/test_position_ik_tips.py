"""~/get_position_ik for groups with several tips."""

from pathlib import Path

import moveit_interfaces
import numpy as np
import pytest

moveit_interfaces.require()

from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Vector3
from moveit_msgs.msg import (
    BoundingVolume,
    Constraints,
    OrientationConstraint,
    PositionConstraint,
    VisibilityConstraint,
)
from position_ik_client import Code, PositionIKClient, ik_request, named, solution, stamped
from shape_msgs.msg import SolidPrimitive

from generative_ik_ros import KinematicTree
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.tree import link_transforms

URDF = Path(__file__).resolve().parents[2] / "examples" / "two_arms.urdf"
HANDS = ["left_hand", "right_hand"]
SRDF = """<?xml version="1.0"?>
<robot name="two_arms">
  <group name="left"><chain base_link="torso" tip_link="left_hand"/></group>
  <group name="right"><chain base_link="torso" tip_link="right_hand"/></group>
  <group name="both"><joint name="waist"/><group name="left"/><group name="right"/></group>
</robot>
"""
TREE = KinematicTree.from_urdf(URDF, tip_links=HANDS)
ROBOT = RobotDescription.from_urdf(URDF)
TABLE = np.array([[0, -1, 0, 0.45], [1, 0, 0, 0.25], [0, 0, 1, 1.0], [0, 0, 0, 1]])
"""A quarter turn about z, where the left hand reaches."""


@pytest.fixture(scope="module")
def client(start_node):
    node = start_node(robot_description=URDF.read_text(), tip_link="left_hand")
    client = PositionIKClient(node.namespace)
    client.describe_groups(SRDF)
    client.wait()
    node.wait_for("planning groups: left, right, both")
    yield client
    client.close()


def two(targets, **fields):
    poses = [stamped(target, "base") for target in targets]
    return ik_request(
        group="both", pose_stamped_vector=poses, ik_link_names=HANDS, timeout=5.0, **fields
    )


def test_both_hands_nearest_to_the_seed(client):
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = rng.uniform(TREE.lower, TREE.upper) * 0.6
        state = named(TREE, np.clip(q + 0.03, TREE.lower, TREE.upper))
        response = client.ik(two(TREE.forward(q), state=state), timeout=90.0)
        names = list(response.solution.joint_state.name)
        found = dict(zip(names, solution(response, names), strict=True))
        configuration = np.array([found[name] for name in TREE.names])
        assert np.abs(TREE.forward(configuration) - TREE.forward(q)).max() <= 2e-5
        gap = np.linalg.norm(configuration - list(state.values()))
        assert gap <= 0.031 * np.sqrt(TREE.num_joints)


def test_hands_out_of_reach_and_links_of_others(client):
    far = TREE.forward(np.zeros(TREE.num_joints))
    far[:, 1, 3] = 3.0, -3.0
    assert client.ik(two(far)).error_code.val == Code.NO_IK_SOLUTION
    message = two(far)
    message.ik_request.ik_link_names = ["left_hand", "third_hand"]
    response = client.ik(message)
    assert response.error_code.val == Code.INVALID_LINK_NAME
    assert "third_hand" in response.error_code.message
    message.ik_request.group_name, message.ik_request.ik_link_names = "left", HANDS
    assert client.ik(message).error_code.val == Code.INVALID_LINK_NAME


def strip(link, frame="base"):
    """A link's point, 0.1 m along its z axis, is on a strip of 0.2 m along y of the base."""
    box = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[0.2, 0.02, 0.0])
    x, y, z = TABLE[:3, 3]
    turned = Quaternion(z=np.sqrt(0.5), w=np.sqrt(0.5))
    pose = Pose(position=Point(x=x, y=y, z=z), orientation=turned)
    one = PositionConstraint(link_name=link, target_point_offset=Vector3(z=0.1), weight=1.0)
    one.header.frame_id = frame
    one.constraint_region = BoundingVolume(primitives=[box], primitive_poses=[pose])
    return one


def upright(link, tilt, frame="base"):
    """Its axes are the strip's, within a tilt, and z is free to spin."""
    one = OrientationConstraint(link_name=link, weight=1.0)
    one.orientation = Quaternion(z=np.sqrt(0.5), w=np.sqrt(0.5))
    one.header.frame_id = frame
    one.absolute_x_axis_tolerance = one.absolute_y_axis_tolerance = tilt
    one.absolute_z_axis_tolerance = 7.0
    return one


def links(response):
    state = response.solution.joint_state
    names = list(state.name)
    positions = dict(zip(names, solution(response, names).tolist(), strict=True))
    return {link: one[0] for link, one in link_transforms(ROBOT, positions, "base").items()}


def on_the_strip(link):
    x, y, z = TABLE[:3, :3].T @ (link[:3, :3] @ (0.0, 0.0, 0.1) + link[:3, 3] - TABLE[:3, 3])
    return abs(x) <= 0.1 and abs(y) <= 0.01 and abs(z) <= 1e-5


def test_constraints_on_a_tip_without_a_pose_are_a_region(client):
    place, turn = strip("left_hand"), upright("left_hand", 0.3)
    limits = Constraints(position_constraints=[place], orientation_constraints=[turn])
    spins = []
    for first in (-0.4, 0.0, 0.4):
        asked = ik_request(
            group="left", timeout=5.0, state={"waist": 0.0, "left_j0": first}, constraints=limits
        )
        hand = links(client.ik(asked, timeout=120.0))["left_hand"]
        assert on_the_strip(hand)
        a, b = np.arctan2(-hand[1, 2], hand[2, 2]), np.arcsin(hand[0, 2])
        assert np.hypot(a, b) <= 0.3 * np.sqrt(2.0) + 1e-6
        spins.append(np.arctan2(hand[1, 0], hand[0, 0]))
    assert np.ptp(spins) > 0.1


def test_one_hand_has_a_pose_and_the_other_a_region(client):
    right = TREE.forward(0.2 * TREE.upper)[1]
    poses = [PoseStamped(), stamped(right, "base")]
    asked = two([], constraints=Constraints(position_constraints=[strip("left_hand")]))
    asked.ik_request.pose_stamped_vector = poses
    found = links(client.ik(asked, timeout=120.0))
    assert on_the_strip(found["left_hand"])
    assert np.abs(found["right_hand"] - right).max() <= 2e-5


def test_constraints_beside_poses_are_conditions(client):
    """The pose is kept exactly; of the two places for the elbow a sphere allows one."""
    left = np.array([0.87, 0.6, 0.78, 0.87, 0.63, 0.87])
    names = [f"left_j{k}" for k in range(6)]
    state = {"waist": 0.0, **dict(zip(names, left, strict=True))}
    target = link_transforms(ROBOT, state, "base")["left_hand"][0]
    asked = ik_request(target, "left", 5.0, "base", state)
    assert links(client.ik(asked))["left_2"][2, 3] == pytest.approx(1.29, abs=0.01)
    below = strip("left_2")
    below.target_point_offset = Vector3()
    volume = below.constraint_region
    volume.primitives = [SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[0.05])]
    volume.primitive_poses = [Pose(position=Point(x=0.33, y=0.52, z=1.0))]
    asked.ik_request.constraints.position_constraints = [below]
    found = links(client.ik(asked))
    assert np.abs(found["left_hand"] - target).max() <= 2e-5
    assert np.linalg.norm(found["left_2"][:3, 3] - (0.33, 0.52, 1.0)) <= 0.05
    volume.primitive_poses[0].position.z = 3.0
    assert client.ik(asked).error_code.val == Code.NO_IK_SOLUTION


def test_what_is_no_region_and_what_cannot_be_checked(client):
    cone = strip("left_hand")
    cone.constraint_region.primitives[0].type = SolidPrimitive.CONE
    moving = strip("left_hand", "left_2")
    for words, given in (
        ("boxes, spheres or cylinders", {"position_constraints": [cone]}),
        ("which the group moves", {"position_constraints": [moving]}),
        ("check_state_validity", {"visibility_constraints": [VisibilityConstraint()]}),
    ):
        response = client.ik(
            ik_request(group="left", state={"waist": 0.0}, constraints=Constraints(**given))
        )
        assert response.error_code.val == Code.INVALID_GOAL_CONSTRAINTS, response.error_code
        assert words in response.error_code.message
