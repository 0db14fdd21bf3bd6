"""~/get_position_ik for groups with several tips."""

from pathlib import Path

import moveit_interfaces
import numpy as np
import pytest

FAULT = moveit_interfaces.provide()
if FAULT:
    pytest.skip(FAULT, allow_module_level=True)

from position_ik_client import Code, PositionIKClient, ik_request, named, solution, stamped

from generative_ik_ros import KinematicTree

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
