"""Two arms in one description: a node for each with remapped names, or one node for both."""

import numpy as np
import pytest
from ik_client import IKClient, reply, request

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.srv import GetIKSolutions

SIDES = ("left", "right")
SOLVED = GetIKSolutions.Response.SOLVED


def arm(side, y):
    return f"""
  <link name="{side}_base"/><link name="{side}_one"/><link name="{side}_two"/>
  <link name="{side}_tip"/>
  <joint name="{side}_mount" type="fixed"><parent link="world"/><child link="{side}_base"/>
    <origin xyz="0 {y} 0.5"/></joint>
  <joint name="{side}_a" type="revolute"><parent link="{side}_base"/><child link="{side}_one"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
  <joint name="{side}_b" type="revolute"><parent link="{side}_one"/><child link="{side}_two"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
  <joint name="{side}_c" type="revolute"><parent link="{side}_two"/><child link="{side}_tip"/>
    <origin xyz="0.3 0 0"/><axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>"""


BOTH = f'<robot name="both"><link name="world"/>{arm("left", 0.4)}{arm("right", -0.4)}</robot>'
Q = np.array([0.3, 0.8, -0.2])


def assert_solved(client, service, chain, **fields):
    """Ask a service for a pose of a chain, and check the reply."""
    target = chain.forward(Q)
    asked = client.node.create_client(GetIKSolutions, service)
    assert asked.wait_for_service(30.0)
    message = request(target[None], num_solutions=2, **fields)
    answer = next(filter(None, (reply(asked, message, 5.0) for _ in range(6))))
    assert answer.status == SOLVED, answer.message
    assert answer.joint_names == list(chain.joint_names)
    q = np.reshape(answer.positions, (-1, 3))
    assert len(q) == 2 and np.allclose(chain.forward(q), target, atol=2e-5)


def test_a_node_for_each_arm_with_names_of_ones_own(start_node):
    nodes = {
        side: start_node(
            arguments=[
                *("-r", "robot_description:=/both/robot_description"),
                *("-r", f"~/get_ik_solutions:=/both/{side}_arm_ik"),
            ],
            base_link=f"{side}_base",
            tip_link=f"{side}_tip",
        )
        for side in SIDES
    }
    client = IKClient("/both")
    client.describe_robot(BOTH)
    for side, node in nodes.items():
        node.wait_for(f"ready: {side}_base to {side}_tip")
        chain = KinematicChain.from_urdf(BOTH, f"{side}_base", f"{side}_tip")
        assert_solved(client, f"/both/{side}_arm_ik", chain)
    client.close()


@pytest.mark.parametrize("side", SIDES)
def test_one_node_for_both_arms(start_node, side):
    """The tip link of a request chooses the arm; poses are in the root link."""
    node = start_node(robot_description=BOTH)
    client = IKClient(node.namespace)
    node.wait_for("ready: ")
    chain = KinematicChain.from_urdf(BOTH, "world", f"{side}_tip")
    service = f"{node.namespace}/generative_ik/get_ik_solutions"
    assert_solved(client, service, chain, tip_link=f"{side}_tip")
    client.close()
