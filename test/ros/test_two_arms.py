"""Two arms in one description: a node for each with remapped names, or one node for both."""

import moveit_interfaces
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


def test_one_node_for_both_arms(start_node):
    """The tip link of a request chooses the arm; poses are in the root link."""
    node = start_node(robot_description=BOTH)
    client = IKClient(node.namespace)
    node.wait_for("ready: ")
    service = f"{node.namespace}/generative_ik/get_ik_solutions"
    for tip in ("left_tip", "right_tip"):
        chain = KinematicChain.from_urdf(BOTH, "world", tip)
        assert_solved(client, service, chain, tip_link=tip)
    client.close()


def with_shapes(urdf):
    """The same arms with a bar for each of the two longer links."""
    for side in SIDES:
        for link, length in (("one", 0.4), ("two", 0.3)):
            urdf = urdf.replace(
                f'<link name="{side}_{link}"/>',
                f'<link name="{side}_{link}"><collision><origin xyz="{length / 2} 0 0"/>'
                f'<geometry><box size="{length} 0.03 0.03"/></geometry></collision></link>',
            )
    return urdf


@pytest.fixture
def scene_of_both(ros):
    """A planning scene under MoveIt's names, and what publishes changes of it."""
    moveit_interfaces.require()
    pytest.importorskip("coal", reason="coal is not installed: pip install '.[collision]'")
    from moveit_msgs.msg import PlanningScene
    from moveit_msgs.srv import GetPlanningScene

    client = IKClient("/shared")
    whole = PlanningScene()

    def serve(_, response):
        response.scene = whole
        return response

    client.node.create_service(GetPlanningScene, "get_planning_scene", serve)
    yield whole, client.node.create_publisher(PlanningScene, "monitored_planning_scene", 100)
    client.close()


def test_the_nodes_of_both_arms_follow_one_planning_scene(start_node, client_of, scene_of_both):
    """Each keeps clear of what is in the scene, and of the other arm where the scene has it."""
    from moveit_msgs.msg import CollisionObject, PlanningScene
    from shape_msgs.msg import SolidPrimitive

    whole, changes = scene_of_both
    urdf = with_shapes(f'<robot name="both"><link name="world"/>{arm("left", 0.2)}'
                       f'{arm("right", -0.2)}</robot>')  # fmt: skip
    names = "monitored_planning_scene", "get_planning_scene"
    remappings = [word for name in names for word in ("-r", f"{name}:=/shared/{name}")]
    nodes = {
        side: start_node(
            arguments=remappings,
            robot_description=urdf,
            base_link=f"{side}_base",
            tip_link=f"{side}_tip",
        )
        for side in SIDES
    }
    chains = {s: KinematicChain.from_urdf(urdf, f"{s}_base", f"{s}_tip") for s in SIDES}

    def found(side, count):
        """Ask until there are as many solutions, and return them."""
        target = chains[side].forward(Q)
        message = request(target[None], num_solutions=5, avoid_collisions=True, timeout=2.0)
        answer = clients[side].until(
            message, lambda one: one.status > 0 and one.counts[0] == count
        )
        return np.reshape(answer.positions, (-1, 3))

    def elbow(side, q):
        return KinematicChain.from_urdf(urdf, "world", f"{side}_two").forward(np.array(q[:2]))[
            :3, 3
        ]

    # Both arms stand aside at first.
    state = whole.robot_state.joint_state
    state.name, state.position = ["left_a", "right_a"], [2.0, -2.0]
    clients = {side: client_of(node) for side, node in nodes.items()}
    both = {side: found(side, 2) for side in SIDES}
    # One of them would touch this in one way.
    block = CollisionObject(id="block")
    block.primitives = [SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[0.04, 0.04, 0.2])]
    at = block.pose.position
    at.x, at.y, at.z = elbow("right", both["right"][0]).tolist()
    diff = PlanningScene(is_diff=True)
    diff.world.collision_objects = [block]
    changes.publish(diff)
    (left,) = found("right", 1)
    assert np.allclose(left, both["right"][1], atol=1e-3)
    found("left", 2)
    # Where the right arm stands, the left one can reach its pose in one way only.
    corner = min(both["left"], key=lambda q: elbow("left", q)[1])
    x, y, _ = elbow("left", corner) - (0.0, -0.2, 0.0)
    bend = np.arccos((x * x + y * y - 0.4**2 - 0.3**2) / (2.0 * 0.4 * 0.3))
    turn = np.arctan2(y, x) - np.arctan2(0.3 * np.sin(bend), 0.4 + 0.3 * np.cos(bend))
    diff.world.collision_objects = []
    diff.robot_state.is_diff = True
    diff.robot_state.joint_state.name = ["right_a", "right_b"]
    diff.robot_state.joint_state.position = [float(turn), float(bend)]
    changes.publish(diff)
    (other,) = found("left", 1)
    assert not np.allclose(other, corner, atol=0.1)
    found("right", 1)
