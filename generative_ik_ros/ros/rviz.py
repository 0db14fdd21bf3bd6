"""Starts RViz with its view fitted to the robot: fixed frame, camera, and what is shown.

RViz takes them from its configuration, which knows no robot. ik.launch.py puts this module before
RViz's command line; it waits for the robot description and changes a copy of the configuration.
"""

import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
import yaml
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String

from generative_ik_ros.errors import AmbiguousChainError, GenerativeIKError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.tree import link_transforms
from generative_ik_ros.ros.topics import LATCHED


@dataclass(frozen=True)
class ViewTuning:
    """Where the camera stands, and how long it is waited for."""

    distance: float = 2.2
    """Of the camera, in reaches."""
    height: float = 0.3
    """Of the point it looks at above the base link, in reaches."""
    patience: float = 2.0
    """Longest wait for joint states, and for the robot description before that is logged [s]."""


TUNING = ViewTuning()


class Robot(Node):
    """What the launch file and the topics say about the robot.

    Attributes:
        text: URDF text; empty until it is known.
        published: Whether it came by topic, so that somebody publishes TF as well.
    """

    def __init__(self) -> None:
        """Read the node's parameters, and subscribe to the description if they have none."""
        super().__init__("generative_ik_rviz", start_parameter_services=False)
        names = ("robot_description", "base_link", "tip_link")
        self.text, self._base_link, self._tip_link = (
            str(self.declare_parameter(name, "").value) for name in names
        )
        self._joint_states = self.declare_parameter("use_joint_state_publisher", False)
        self.published = not self.text
        if self.published:
            self.create_subscription(String, "robot_description", self._take, LATCHED)

    def wait(self, signals: list[int]) -> None:
        """Wait for the description, or for a signal."""
        said, start = False, time.monotonic()
        while not (self.text or signals):
            rclpy.spin_once(self, timeout_sec=0.1)
            if not said and time.monotonic() - start > TUNING.patience:
                topic = self.resolve_topic_name("robot_description")
                self.get_logger().info(f"RViz starts once there is a description on {topic}")
                said = True

    def has_joint_states(self) -> bool:
        """Whether somebody publishes joint states, without which RViz piles up all the links."""
        end = time.monotonic() + TUNING.patience
        while not (self._joint_states.value or self.count_publishers("joint_states")):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def fit(self, config: dict[str, Any]) -> None:
        """Change a configuration of RViz."""
        manager = config["Visualization Manager"]
        for display in manager["Displays"]:
            if display["Class"] == "rviz_default_plugins/RobotModel":
                display["Enabled"] = display["Value"] = self.has_joint_states()
        description = RobotDescription.from_urdf_text(self.text)
        manager["Global Options"]["Fixed Frame"] = description.root
        try:
            chain = KinematicChain.from_urdf(
                description, self._base_link or None, self._tip_link or None
            )
        except AmbiguousChainError:
            return  # no tip link was chosen: the camera stays where it is
        center = np.array([0.0, 0.0, TUNING.height * chain.size])
        if self.published:
            center += link_transforms(description, {}, description.root)[chain.base_link][0, :3, 3]
        else:  # nobody may publish TF
            manager["Global Options"]["Fixed Frame"] = chain.base_link
        camera = manager["Views"]["Current"]
        camera["Distance"] = TUNING.distance * chain.size
        camera["Focal Point"] = dict(zip("XYZ", center.tolist(), strict=True))

    def _take(self, message: String) -> None:
        self.text = message.data


def main(command: list[str]) -> int:
    """Run RViz until it ends or is interrupted; return its exit code.

    Args:
        command: RViz's command line, with `-d` before the path of the configuration.
    """
    place = command.index("-d") + 1
    config = yaml.safe_load(Path(command[place]).read_text(encoding="utf-8"))
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: signals.append(number))
    rclpy.init(args=command, signal_handler_options=SignalHandlerOptions.NO)
    robot = Robot()
    robot.wait(signals)
    try:
        if not signals:
            robot.fit(config)
    except GenerativeIKError as error:
        robot.get_logger().warning(f"the view is not fitted to the robot: {error}")
    robot.destroy_node()
    rclpy.shutdown()
    if signals:
        return 0
    with tempfile.TemporaryDirectory(prefix="generative_ik_rviz_") as folder:
        fitted = Path(folder, Path(command[place]).name)
        fitted.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
        process = subprocess.Popen([*command[:place], str(fitted), *command[place + 1 :]])
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: process.send_signal(number))
        for number in signals:  # since the last look
            process.send_signal(number)
        return process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
