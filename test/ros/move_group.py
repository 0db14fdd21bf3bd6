"""A real move_group, where it is installed, and a client of its services.

It is found in the ROS environment. The variable MOVE_GROUP may name a command instead, for one
that needs an environment of its own.
"""

import json
import os
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from ament_index_python.resources import get_resource, get_resources
from moveit_msgs.srv import ApplyPlanningScene, GetPlanningScene
from sensor_msgs.msg import JointState

READY = "You can start planning now"
PUBLISHED = ("planning_scene", "geometry_updates", "state_updates", "transforms_updates")


def command():
    """The command that starts it; None: it is not installed."""
    if given := os.environ.get("MOVE_GROUP"):
        return given
    try:
        prefix = get_package_prefix("moveit_ros_move_group")
    except (PackageNotFoundError, LookupError):
        return None
    return str(Path(prefix, "lib", "moveit_ros_move_group", "move_group"))


def planner():
    """Parameters that name an installed planner: move_group does not start without one."""
    kind, base = "moveit_core__pluginlib__plugin", "planning_interface::PlannerManager"
    found = []
    for package in get_resources(kind):
        files, prefix = get_resource(kind, package)
        for file in files.split():
            classes = ElementTree.parse(Path(prefix, file)).iter("class")
            found += [one.get("name") for one in classes if one.get("base_class_type") == base]
    if not found:
        return {}
    # Of some others more has to be configured.
    ompl = "ompl_interface/OMPLPlanner"
    name = ompl if ompl in found else found[0]
    # Humble's has one planner in a pipeline.
    return {
        "planning_pipelines": ["one"],
        "one": {"planning_plugins": [name], "planning_plugin": name},
    }


class MoveGroup:
    """A move_group in a namespace, which publishes all that changes in its scene.

    Args:
        folder: Where its parameters and its log are written.
        namespace: Its namespace.
        urdf: The robot.
        srdf: Its groups.
        kinematics: The parameters of solvers by group, as in kinematics.yaml.
    """

    def __init__(self, folder, namespace, urdf, srdf, kinematics=None):
        self._log = folder / "move_group.log"
        parameters = {
            "robot_description": urdf,
            "robot_description_semantic": srdf,
            **({"robot_description_kinematics": kinematics} if kinematics else {}),
            **planner(),
            "allow_trajectory_execution": False,
            **{f"publish_{name}": True for name in PUBLISHED},
        }
        file = folder / "move_group.yaml"
        file.write_text(json.dumps({"/**": {"ros__parameters": parameters}}))
        words = [command(), "--ros-args", "-r", f"__ns:={namespace}", "--params-file", str(file)]
        with self._log.open("w") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)

    def wait(self, timeout=60.0):
        end = time.monotonic() + timeout
        while READY not in self._log.read_text():
            assert time.monotonic() < end and self._process.poll() is None, self._log.read_text()
            time.sleep(0.1)

    def stop(self):
        self._process.terminate()
        try:
            self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10.0)


class SceneClient:
    """Changes and reads the scene of a move_group by its services, and publishes joint states.

    These come all the time, as those of a robot: what move_group publishes of a change now and
    then waits for the next event (its publishing thread can miss the one that wakes it).

    Args:
        node: The node that calls, which another thread spins.
        positions: Where the joints are at first, by name [rad or m].
    """

    def __init__(self, node, positions):
        self._node, self._positions = node, dict(positions)
        self._apply = node.create_client(ApplyPlanningScene, "apply_planning_scene")
        self._get = node.create_client(GetPlanningScene, "get_planning_scene")
        self._joints = node.create_publisher(JointState, "joint_states", 10)
        node.create_timer(0.05, self._publish_joints)
        for client in (self._apply, self._get):
            assert client.wait_for_service(30.0)

    def apply(self, scene):
        answer = self._apply.call(ApplyPlanningScene.Request(scene=scene), 10.0)
        assert answer is not None and answer.success

    def matrix(self):
        """The allowed collision matrix."""
        asked = GetPlanningScene.Request()
        asked.components.components = asked.components.ALLOWED_COLLISION_MATRIX
        return self._get.call(asked, 10.0).scene.allowed_collision_matrix

    def move_joints(self, **positions):
        self._positions = {**self._positions, **positions}

    def _publish_joints(self):
        where = self._positions
        message = JointState(name=list(where), position=list(map(float, where.values())))
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._joints.publish(message)
