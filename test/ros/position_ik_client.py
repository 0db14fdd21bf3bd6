"""A client of ~/get_position_ik, and a service that decides which states are valid."""

import threading

import numpy as np
import rclpy
from geometry_msgs.msg import PoseStamped
from ik_client import IKClient, reply
from moveit_msgs.msg import JointConstraint, MoveItErrorCodes
from moveit_msgs.srv import GetPositionIK, GetStateValidity
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import String

from generative_ik_ros.ros.conversions import transforms_to_poses

Code = MoveItErrorCodes
PANDA_SRDF = """<?xml version="1.0"?>
<robot name="panda">
  <virtual_joint name="world_joint" type="fixed" parent_frame="world" child_link="panda_link0"/>
  <group name="panda_arm"><chain base_link="panda_link0" tip_link="panda_link8"/></group>
  <group name="hand"><joint name="panda_finger_joint2"/><link name="panda_leftfinger"/></group>
  <group name="panda_arm_hand"><group name="panda_arm"/><group name="hand"/></group>
  <end_effector name="hand" parent_link="panda_link8" group="hand" parent_group="panda_arm_hand"/>
</robot>
"""


def ik_request(target=None, group="panda_arm", timeout=0.0, frame_id="", state=None, **fields):
    """Return a request for a target (4, 4) of a group; `state` has positions by joint name."""
    message = GetPositionIK.Request()
    ask = message.ik_request
    ask.group_name = group
    if target is not None:
        ask.pose_stamped = stamped(target, frame_id)
    ask.timeout.sec, ask.timeout.nanosec = int(timeout), int(round(timeout % 1.0 * 1e9))
    state = state or {}
    ask.robot_state.joint_state.name = list(state)
    ask.robot_state.joint_state.position = [float(value) for value in state.values()]
    for name, value in fields.items():
        setattr(ask, name, value)
    return message


def stamped(target, frame_id=""):
    pose = PoseStamped(pose=transforms_to_poses(np.asarray(target)[None])[0])
    pose.header.frame_id = frame_id
    return pose


def bound(name, position, below, above):
    return JointConstraint(
        joint_name=name,
        position=position,
        tolerance_below=below,
        tolerance_above=above,
        weight=1.0,
    )


def solution(response, names):
    """Return the positions in a reply, which must succeed and have these joints in order."""
    assert response.error_code.val == Code.SUCCESS, response.error_code
    assert list(response.solution.joint_state.name) == list(names)
    return np.array(response.solution.joint_state.position)


def reaches(chain, q, target, limit=1e-5):
    reached = chain.forward(q)
    return (
        np.abs(reached - target).max() <= 2.0 * limit
        and ((q >= chain.lower - 1e-12) & (q <= chain.upper + 1e-12)).all()
    )


def named(arm, q):
    return dict(zip(arm.joint_names, q, strict=True))


class PositionIKClient(IKClient):
    def wait(self):
        super().wait()
        service = self.service(GetPositionIK, "get_position_ik")
        answers = (reply(service, GetPositionIK.Request(), 1.0) for _ in range(30))
        assert any(answer is not None for answer in answers), "no reply"

    def ik(self, message, timeout=30.0):
        return self.ask(GetPositionIK, "get_position_ik", message, timeout)

    def describe_groups(self, text):
        """Publish an SRDF, latched as move_group does."""
        self.publisher(String, "robot_description_semantic").publish(String(data=text))


class PlanningScene:
    """Offers check_state_validity; `verdict` fills the reply for positions by joint name."""

    def __init__(self, namespace, verdict):
        self.asked = []
        self._verdict = verdict
        self._node = rclpy.create_node("scene", namespace=namespace)
        self._node.create_service(GetStateValidity, "check_state_validity", self._serve)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def _serve(self, request, response):
        self.asked.append(request)
        state = request.robot_state.joint_state
        return self._verdict(dict(zip(state.name, state.position, strict=True)), response)

    def close(self):
        self._executor.shutdown()
        self._thread.join()
        self._node.destroy_node()
