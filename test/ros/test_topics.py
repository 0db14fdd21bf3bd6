"""Target poses, solutions and markers on topics."""

import time

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from ik_client import request
from rviz_display import Display, arms, shown
from scipy.spatial.transform import Rotation
from visualization_msgs.msg import Marker

from generative_ik_ros.ros.conversions import poses_to_transforms, transforms_to_poses
from generative_ik_ros.srv import GetIKSolutions

LINK_LENGTH = 0.4
STICKS = """<robot name="sticks">
  <link name="world"/><link name="base"/><link name="one"/><link name="two"/><link name="tip"/>
  <link name="ball">
    <visual><origin xyz="0.1 0 0"/><geometry><sphere radius="0.05"/></geometry></visual>
    <visual><geometry><mesh filename="package://sticks/meshes/b.dae" scale="2 2 2"/></geometry>
    </visual></link>
  <joint name="stand" type="fixed"><parent link="world"/><child link="base"/>
    <origin xyz="0 0 1"/></joint>
  <joint name="a" type="continuous"><parent link="base"/><child link="one"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="b" type="revolute"><parent link="one"/><child link="two"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3"/></joint>
  <joint name="c" type="revolute"><parent link="two"/><child link="tip"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3"/></joint>
  <joint name="d" type="fixed"><parent link="tip"/><child link="ball"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def node(start_node):
    return start_node(
        robot_description=STICKS, base_link="base", num_solutions=5, marker_rate=50.0
    )


@pytest.fixture(scope="module")
def chain():
    from generative_ik_ros.robot.chain import KinematicChain

    return KinematicChain.from_urdf(STICKS, "base", "ball")


def pose_of(x, y, yaw):
    target = np.eye(4)
    target[:3, :3] = Rotation.from_euler("z", yaw).as_matrix()
    target[:2, 3] = (x, y)
    return target


def matrix(pose):
    return poses_to_transforms([pose])[0]


def picture_of(markers, target):
    """Return the first message with a target; an earlier latched one may precede it."""
    while True:
        drawn = markers.next()
        targets = [matrix(marker.pose) for marker in drawn.markers if marker.ns == "target"]
        if any(np.allclose(pose, target) for pose in targets):
            return drawn


def test_a_target_pose_gives_solutions_and_markers(client, chain):
    solutions, markers = client.solutions(), client.markers()
    target = pose_of(0.5, 0.2, 0.3)
    client.publish_target(transforms_to_poses(target[None])[0])
    message, drawn = solutions.next(), picture_of(markers, target)
    solutions.close()
    markers.close()

    assert message.header.frame_id == "base" and message.tip_link == "ball"
    assert message.joint_names == ["a", "b", "c"]
    q = np.reshape(message.positions, (-1, 3))
    assert list(message.counts) == [len(q)] and len(q) == 2, "elbow up and elbow down"
    assert np.allclose(chain.forward(q), target, atol=2e-5)
    assert list(message.statuses) == [GetIKSolutions.Response.PARTIAL]
    assert np.allclose(matrix(message.targets[0]), target)
    assert len(message.position_errors) == len(message.orientation_errors) == 2

    assert {marker.header.frame_id for marker in drawn.markers} == {"base"}
    (axes,) = [marker for marker in drawn.markers if marker.ns == "target"]
    assert np.allclose(matrix(axes.pose), target) and len(axes.points) == 6
    assert list(arms(drawn)) == ["solution_000", "solution_001"]
    for which, parts in enumerate(arms(drawn).values()):
        assert_an_arm_in_place(parts, q[which])
    one, other = (parts[0].color for parts in arms(drawn).values())
    assert (one.r, one.g, one.b) != (other.r, other.g, other.b)
    # Both have the ball and the mesh at the target, and the wrist, however it is turned: they
    # are drawn once, in grey.
    drawn = shown(drawn).of("solution_")
    shared = {part.type for part in drawn["solution_000"] if part.color.a == 1.0}
    assert shared == {Marker.SPHERE, Marker.MESH_RESOURCE}
    assert len(drawn["solution_000"]) == 6 and len(drawn["solution_001"]) == 3
    assert all(0.0 < part.color.a < 1.0 for part in drawn["solution_001"])


def assert_an_arm_in_place(parts, q):
    """Check the poses of bones, ball and mesh by planar geometry."""
    shoulder = np.zeros(3)
    elbow = LINK_LENGTH * np.array([np.cos(q[0]), np.sin(q[0]), 0.0])
    yaw = q[0] + q[1]
    wrist = elbow + LINK_LENGTH * np.array([np.cos(yaw), np.sin(yaw), 0.0])
    yaw = yaw + q[2]
    ball = wrist + 0.1 * np.array([np.cos(yaw), np.sin(yaw), 0.0])
    bones = [part for part in parts if part.type == Marker.CYLINDER]
    assert len(bones) == 2
    for bone, start, end in zip(bones, (shoulder, elbow), (elbow, wrist), strict=True):
        frame = matrix(bone.pose)
        assert np.allclose(frame[:3, 3], (start + end) / 2, atol=1e-6)
        assert np.allclose(frame[:3, 2] * bone.scale.z, end - start, atol=1e-6)
    *ends, sphere = sorted(
        (part for part in parts if part.type == Marker.SPHERE), key=lambda part: part.scale.x
    )
    assert np.allclose(matrix(sphere.pose)[:3, 3], ball, atol=1e-6)
    found = {tuple(matrix(end.pose)[:3, 3].round(6)) for end in ends}
    assert found == {tuple(elbow.round(6)), tuple(wrist.round(6))}
    assert (sphere.scale.x, sphere.scale.y, sphere.scale.z) == pytest.approx((0.1, 0.1, 0.1))
    (mesh,) = [part for part in parts if part.type == Marker.MESH_RESOURCE]
    assert mesh.mesh_resource == "package://sticks/meshes/b.dae"
    assert (mesh.scale.x, mesh.scale.y, mesh.scale.z) == (2.0, 2.0, 2.0)
    assert len({part.id for part in parts}) == len(parts) == 6


def test_earlier_markers_are_deleted_even_without_a_solution(client, chain):
    """A display that received all messages shows the same as a new one."""
    markers, display = client.markers(), Display()
    reached, far = pose_of(0.5, 0.2, 0.3), pose_of(3.0, 0.0, 0.0)
    several = np.stack([reached, far, pose_of(0.4, 0.1, 0.0)])
    for targets, number in ((reached[None], 2), (far[None], 0), (several, 4), (reached[None], 2)):
        client.call(request(targets, num_solutions=2))
        while True:
            drawn = markers.next()
            display.take(drawn)
            places = [matrix(m.pose) for m in drawn.markers if m.ns == "target"]
            if len(places) == len(targets) and np.allclose(places, targets):
                break
        assert display.markers == shown(drawn).markers
        assert len(arms(drawn)) == number
    markers.close()


def test_a_target_out_of_reach_shows_the_closest_configuration_and_its_error(client, chain):
    far = pose_of(1.5, 0.0, 0.0)
    markers = client.markers()
    closest = np.array(client.call(request(far[None])).best_effort)
    drawn = shown(picture_of(markers, far))
    markers.close()
    (parts,) = drawn.of("closest_").values()
    assert_an_arm_in_place(parts, closest)
    (line,) = drawn.of("error")["error"]
    tip = chain.forward(closest)
    frame = matrix(line.pose)
    half = frame[:3, 2] * line.scale.z / 2.0
    assert np.allclose(frame[:3, 3] - half, tip[:3, 3], atol=1e-3)
    assert np.allclose(frame[:3, 3] + half, far[:3, 3], atol=1e-3)
    assert not drawn.of("solution_")


def test_a_late_subscriber_sees_the_last_result(client):
    target = pose_of(0.4, -0.2, 0.1)
    client.call(request(target[None], num_solutions=2))
    markers = client.markers()
    assert arms(picture_of(markers, target))
    markers.close()


def test_the_rate_of_marker_messages_is_limited_and_the_last_result_shown(client):
    client.set_parameters(marker_rate=5.0)
    markers = client.markers()
    while len(markers):
        markers.next()
    start = time.monotonic()
    for x in np.linspace(0.3, 0.6, 60):
        client.call(request(pose_of(x, 0.1, 0.2)[None], num_solutions=2))
        time.sleep(0.01)
    time.sleep(0.5)
    elapsed = time.monotonic() - start
    drawn = [markers.next() for _ in range(len(markers))]
    markers.close()
    client.set_parameters(marker_rate=50.0)
    assert 2 <= len(drawn) <= 5.0 * elapsed + 2
    (axes,) = [marker for marker in drawn[-1].markers if marker.ns == "target"]
    assert axes.pose.position.x == pytest.approx(0.6)


@pytest.mark.parametrize(("limit", "expected"), [(0, 0), (1, 1), (3, 3), (100, 8)])
def test_the_limit_is_shared_among_targets_best_first(client, limit, expected):
    client.set_parameters(marker_limit=limit)
    markers = client.markers()
    targets = np.stack([pose_of(0.5 - 0.001 * limit, 0.1 * y, 0.2) for y in range(4)])
    client.call(request(targets, num_solutions=2))
    drawn = picture_of(markers, targets[3])
    assert len(shown(drawn).of("target")["target"]) == 4
    markers.close()
    client.set_parameters(marker_limit=20)
    assert len(arms(drawn)) == expected


def test_a_bad_target_pose_is_a_warning(node, client):
    mark = node.mark()
    broken = Pose()
    broken.orientation.w = 0.0
    client.publish_target(broken)
    node.wait_for("target_pose not solved: target 0: orientation is a zero quaternion", mark)
    mark = node.mark()
    client.publish_target(Pose(), frame_id="nowhere")
    node.wait_for("target_pose not solved: frame 'nowhere'", mark)


def test_a_target_in_a_fixed_frame_is_drawn_in_the_base(client):
    solutions = client.solutions()
    target = pose_of(0.5, 0.2, 0.3)
    in_world = target.copy()
    in_world[2, 3] += 1.0
    client.publish_target(transforms_to_poses(in_world[None])[0], frame_id="world")
    message = solutions.next()
    solutions.close()
    assert message.header.frame_id == "base"
    assert np.allclose(matrix(message.targets[0]), target)
    assert len(message.positions) == 6


def test_a_new_robot_deletes_the_arms_of_the_previous_one(node, client):
    client.call(request(pose_of(0.5, 0.2, 0.3)[None], num_solutions=2))
    markers = client.markers()
    while not arms(markers.next()):  # a picture of before may come first
        pass
    mark = node.mark()
    client.describe_robot(STICKS.replace('name="sticks"', 'name="other"'))
    node.wait_for("robot 'other' ready", mark)
    while [marker.action for marker in markers.next().markers] != [Marker.DELETEALL]:
        pass
    markers.close()
