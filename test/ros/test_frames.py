"""Targets in other frames than the base: fixed links, and frames in TF."""

import numpy as np
import pytest
from ik_client import Response, request

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.ros import frames

try:
    import tf2_ros
except ImportError:
    tf2_ros = None

TABLE = """<robot name="tabled">
  <link name="room"/><link name="table"/><link name="base"/><link name="arm"/><link name="hand"/>
  <link name="camera"/><link name="tip"/>
  <joint name="t" type="fixed"><parent link="room"/><child link="table"/>
    <origin xyz="1 2 0.7" rpy="0 0 1.2"/></joint>
  <joint name="b" type="fixed"><parent link="table"/><child link="base"/>
    <origin xyz="0.1 0 0.05" rpy="0 0.3 0"/></joint>
  <joint name="c" type="fixed"><parent link="room"/><child link="camera"/>
    <origin xyz="0 0 2" rpy="3 0 0"/></joint>
  <joint name="one" type="revolute"><parent link="base"/><child link="arm"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
  <joint name="two" type="revolute"><parent link="arm"/><child link="hand"/>
    <origin xyz="0.5 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
  <joint name="h" type="fixed"><parent link="hand"/><child link="tip"/>
    <origin xyz="0.3 0 0"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def client(start_node, client_of):
    node = start_node(robot_description=TABLE, base_link="base", tf_timeout=0.2)
    return client_of(node)


def test_fixed_links_are_found_in_both_directions():
    chain = KinematicChain.from_urdf(TABLE, "base", "tip")
    fixed = frames.fixed_frames(chain.description, "base")
    assert set(fixed) == {"base", "table", "room", "camera"}
    from_room = KinematicChain.from_urdf(TABLE, "room", "tip")
    q = np.array([0.4, -0.3])
    assert np.allclose(fixed["room"] @ from_room.forward(q), chain.forward(q))


@pytest.mark.parametrize("frame", ["", "base", "/base", "room", "table", "camera", "/room"])
def test_targets_in_fixed_frames_need_no_tf(client, frame):
    link = frame.removeprefix("/") or "base"
    chain = KinematicChain.from_urdf(TABLE, "base", "tip")
    q = np.array([0.4, -0.3])
    base_in_frame = np.linalg.inv(frames.fixed_frames(chain.description, "base")[link])
    message = request((base_in_frame @ chain.forward(q))[None], num_solutions=1)
    message.targets.header.frame_id = frame
    answer = client.call(message)
    assert answer.status == Response.SOLVED
    assert np.allclose(np.asarray(answer.positions), q, atol=1e-4)


@pytest.mark.parametrize("frame", ["hand", "tip", "map", "base ", "//base"])
def test_other_frames_are_refused_with_the_valid_choices(client, frame):
    message = request(np.eye(4)[None])
    message.targets.header.frame_id = frame
    answer = client.call(message)
    assert answer.status == Response.UNKNOWN_FRAME
    if tf2_ros is None:
        assert "tf2_ros is not installed" in answer.message
        assert "base, table, room, camera" in answer.message


@pytest.mark.skipif(tf2_ros is None, reason="tf2_ros is not installed")
def test_frames_in_tf(client):
    from geometry_msgs.msg import TransformStamped

    broadcaster = tf2_ros.StaticTransformBroadcaster(client.node)
    transform = TransformStamped()
    transform.header.frame_id, transform.child_frame_id = "base", "tag"
    transform.transform.translation.x = 0.25
    transform.transform.rotation.w = 1.0
    broadcaster.sendTransform(transform)
    chain = KinematicChain.from_urdf(TABLE, "base", "tip")
    target = chain.forward(np.array([0.4, -0.3]))
    target[0, 3] -= 0.25
    message = request(target[None], num_solutions=1)
    message.targets.header.frame_id = "tag"
    answer = client.until(message, lambda answer: answer.status == Response.SOLVED)
    assert np.allclose(np.asarray(answer.positions), (0.4, -0.3), atol=1e-4)
