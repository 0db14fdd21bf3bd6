"""Changes of a planning scene around the Panda, and requests that notice them."""

import numpy as np
from ik_client import Response, request
from moveit_msgs.msg import CollisionObject, PlanningScene
from octrees import octree
from shape_msgs.msg import SolidPrimitive
from solid_panda import DISABLED, Truth

BLOCK = ((0.3, 0.3, 0.3), (0.5, 0.0, 0.4))
INSIDE = np.diag([1.0, -1.0, -1.0, 1.0])
INSIDE[:3, 3] = (0.5, 0.0, 0.4)
BESIDE = INSIDE.copy()
BESIDE[:3, 3] = (0.3, 0.4, 0.4)
ABOVE = np.diag([1.0, -1.0, -1.0, 1.0])
ABOVE[:3, 3] = INSIDE[:3, 3]
PLATES = {name: ((0.3, 0.004, 0.02), (0.5, y, 0.405)) for name, y in (("a", 0.048), ("b", -0.048))}
"""Beside a closed gripper at ABOVE; an open one touches them."""


def asked(target, **fields):
    fields = {"num_solutions": 3, "timeout": 20.0, **fields}
    return request(target[None], avoid_collisions=True, **fields)


def free(response):
    return response.status == Response.SOLVED


def blocked_by(name):
    return lambda response: (
        response.status == Response.NO_SOLUTION and response.message.endswith(f" with {name}")
    )


def box(name="block", size=BLOCK[0], position=BLOCK[1], frame_id="panda_link0", **fields):
    message = CollisionObject(id=name, **fields)
    message.header.frame_id = frame_id
    message.primitives = [SolidPrimitive(type=SolidPrimitive.BOX, dimensions=list(size))]
    at = message.pose.position
    at.x, at.y, at.z = map(float, position)
    return message


def changed(*objects, carried=(), joints=None):
    """A diff of the scene."""
    message = PlanningScene(is_diff=True)
    message.world.collision_objects = list(objects)
    state = message.robot_state
    state.is_diff = True
    state.attached_collision_objects = list(carried)
    joints = joints or {}
    state.joint_state.name = list(joints)
    state.joint_state.position = list(map(float, joints.values()))
    return message


def operation(name, kind, position=(0.0, 0.0, 0.0)):
    message = box(name, position=position, operation=kind)
    message.primitives = []
    return message


def octomap(*blocks, resolution=0.025, binary=True):
    """A diff with an octomap of blocks, (size, position) in cells of the resolution."""
    cells = set()
    for size, position in blocks:
        low = np.round((np.array(position) - np.array(size) / 2.0) / resolution).astype(int)
        count = np.round(np.array(size) / resolution).astype(int)
        cells |= {tuple(low + 2**15 + one) for one in np.ndindex(*count)}
    tree = octree(cells, resolution, binary=binary)
    message = changed()
    own = message.world.octomap
    own.header.frame_id, own.origin.orientation.w = "panda_link0", 1.0
    own.octomap.id, own.octomap.binary, own.octomap.resolution = tree.id, binary, resolution
    own.octomap.data = tree.data.tolist()
    return message


def check_fingers(client, open_to, solid_urdf, panda):
    """Between the plates, solutions count with the gripper where it is opened to [m]."""
    truth = Truth(solid_urdf, PLATES, DISABLED)
    client.until(asked(ABOVE), lambda one: one.status > 0)
    for opening, reached in ((0.0, True), (0.04, False), (0.0, True)):
        open_to(opening)
        answer = client.until(asked(ABOVE), lambda one, want=reached: (one.status < 3) == want)
        assert not any(truth.of_reply(panda.joint_names, answer, panda_finger_joint1=opening))
        if not reached:
            assert "finger with " in answer.message
