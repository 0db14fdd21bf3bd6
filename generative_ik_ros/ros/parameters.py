"""The node's parameters: description and validation from one table."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from generative_ik_ros.arguments import DEVICES
from generative_ik_ros.collision.mesh_files import MeshFolders
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError, short
from generative_ik_ros.moveit.joint_limits import read_joint_limits
from generative_ik_ros.robot.limits import JointLimits
from generative_ik_ros.robot.srdf import SemanticDescription
from generative_ik_ros.ros import transport
from generative_ik_ros.samplers.registry import AUTO, sampler_names


def _entry(
    default: str | int | float | bool,
    description: str,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    read_only: bool = False,
    choices: tuple[str, ...] = (),
    separator: str = "",
) -> Any:  # noqa: ANN401  # dataclasses declare a field with the type of its value
    return field(
        default=default,
        metadata={
            "description": f"{description} [{unit}]" if unit else description,
            "low": low,
            "high": high,
            "read_only": read_only,
            "choices": choices,
            "separator": separator,
        },
    )


@dataclass(frozen=True)
class Settings:
    """Every parameter of the node with its default, unit, bounds and description.

    A parameter is declared, validated, documented and read from its line in this table. Angles
    are in [rad], lengths in [m], times in [s].
    """

    robot_description: str = _entry(
        "", "URDF, SDF or MJCF text of the robot; empty: wait for the topic robot_description"
    )
    base_link: str = _entry(
        "", "link that targets are given in; empty: determined from the robot description"
    )
    tip_link: str = _entry(
        "", "tip link of requests that name none; empty: determined from the robot description"
    )
    target_tips: str = _entry(
        "",
        "tip links with a target each to drag in RViz, separated by spaces; empty: tip_link",
        separator=" ",
    )
    joint_limits: str = _entry(
        "",
        "limits of joints instead of the description's [rad or m], 'NAME LOWER UPPER', separated "
        "by semicolons; or a file, MoveIt's joint_limits.yaml",
        separator=";",
    )
    soft_limits: bool = _entry(
        False, "whether joints stay within the soft limits of their <safety_controller>, too"
    )
    loops: str = _entry(
        "", "YAML file with closed loops and couplings of the robot's joints (docs/loops.md)"
    )
    robot_description_semantic: str = _entry(
        "", "SRDF text with the planning groups; empty: wait for the topic of that name"
    )
    groups: str = _entry(
        "",
        "additional planning groups, 'NAME BASE_LINK TIP_LINK', separated by semicolons",
        separator=";",
    )
    sampler: str = _entry(
        AUTO, "default sampler that proposes the seeds", choices=(AUTO, *sampler_names())
    )
    num_solutions: int = _entry(
        100, "default number of distinct solutions per target", "", 1, 100_000
    )
    max_solutions: int = _entry(
        100_000, "largest number of solutions per request, over all targets", "", 1, 10_000_000
    )
    max_targets: int = _entry(10_000, "largest number of targets per request", "", 1, 1_000_000)
    position_tolerance: float = _entry(
        1e-5,
        "default largest distance of the tip from the target; inf: position is free",
        "m",
        1e-12,
        math.inf,
    )
    orientation_tolerance: float = _entry(
        1e-5,
        "default largest angle between tip and target; inf: orientation is free",
        "rad",
        1e-12,
        math.inf,
    )
    timeout: float = _entry(1.0, "default timeout of a whole request", "s", 1e-4, 3600.0)
    max_timeout: float = _entry(60.0, "longest timeout a request may ask for", "s", 1e-4, 3600.0)
    random_seed: int = _entry(
        0, "random seed for ~/target_pose; negative: a different one each time", "", -1, 2**63 - 1
    )
    tf_timeout: float = _entry(
        0.5, "longest wait for a transform that is not available yet", "s", 0.0, 60.0
    )
    avoid_collisions: bool = _entry(
        False, "whether all requests avoid collisions; false: those that ask for it"
    )
    scene_file: str = _entry(
        "", "YAML file with obstacles: a MoveIt planning scene or a world of cuRobo; empty: none"
    )
    collision_padding: float = _entry(
        0.0, "smallest accepted distance between the robot and obstacles", "m", 0.0, 10.0
    )
    mesh_dirs: str = _entry(
        "",
        "folders of the packages that addresses of collision meshes name, separated by colons; "
        "those of the ROS environment follow",
        separator=os.pathsep,
    )
    collision_visuals: bool = _entry(
        False, "whether links without collision elements are checked by their visual ones"
    )
    point_cloud_topic: str = _entry(
        "", "topic of a sensor_msgs/PointCloud2 of obstacles, without the robot; empty: none"
    )
    point_radius: float = _entry(
        0.01, "radius of the ball that every point of the cloud stands for", "m", 1e-4, 10.0
    )
    reachability_map: str = _entry(
        "",
        "stored reachability map: a request for a pose that the map proves to be out of reach, to "
        "its resolution, is answered without a search; empty: none",
    )
    servo: bool = _entry(
        False, "whether the arm follows ~/servo_target and ~/servo_twist by ~/servo_commands"
    )
    servo_handle: bool = _entry(
        False,
        "whether the arm follows the target that is dragged in RViz, too, while servo is set",
    )
    servo_rate: float = _entry(250.0, "rate of servo commands", "Hz", 1.0, 2000.0)
    servo_timeout: float = _entry(
        0.1, "time after the last target at which the arm begins to brake", "s", 0.005, 60.0
    )
    servo_filter: float = _entry(
        5.0, "cutoff frequency of the filter of servo targets; 0: none", "Hz", 0.0, 1000.0
    )
    servo_clearance: float = _entry(
        0.01,
        "distance that the servo keeps from obstacles and between links, if avoid_collisions is "
        "set",
        "m",
        0.0001,
        1.0,
    )
    servo_velocity_limits: str = _entry(
        "",
        "velocity limits of the servo [rad/s or m/s], one for all joints or one for each, "
        "separated by spaces; empty: the robot description's",
        separator=" ",
    )
    servo_acceleration_limits: str = _entry(
        "",
        "likewise acceleration limits [rad/s^2 or m/s^2]; empty: each joint reaches its velocity "
        "limit in 1 s",
        separator=" ",
    )
    marker_limit: int = _entry(
        20, "most arms drawn on ~/solution_markers, over all targets; 0: only targets", "", 0, 1000
    )
    marker_rate: float = _entry(
        10.0, "largest rate of marker messages; each shows the latest result", "Hz", 0.1, 100.0
    )
    marker_opacity: float = _entry(
        0.35, "opacity of the arms on ~/solution_markers", "", 0.01, 1.0
    )
    marker_meshes: bool = _entry(
        True, "draw arms with the shapes of the description; false: with cylinders"
    )
    device: str = _entry(
        AUTO,
        "cuda: a GPU answers what it serves; auto: where that is sooner",
        read_only=True,
        choices=DEVICES,
    )
    direct_services: bool = _entry(
        True,
        "serve requests on threads of their own, by internal interfaces of rclpy, instead of by "
        "its executor",
        read_only=True,
    )
    fastdds_transports: str = _entry(
        transport.DEFAULT,
        f"transports of Fast DDS, unless {transport.VARIABLE} or a profile file is set; empty: "
        "its default, by whose shared memory a killed client can block the replies to all others",
        read_only=True,
    )
    num_threads: int = _entry(
        4,
        "number of requests that each service handles concurrently, and of other callbacks",
        "",
        2,
        64,
        read_only=True,
    )

    @property
    def mesh_folders(self) -> tuple[str, ...]:
        """The folders in `mesh_dirs`."""
        return tuple(filter(None, self.mesh_dirs.split(os.pathsep)))

    @property
    def tips_of_targets(self) -> tuple[tuple[str, str], ...]:
        """The links in `target_tips`, each with its reference link, "" for the base link."""
        return tuple([(link, "") for link in self.target_tips.split()])

    @property
    def limits(self) -> JointLimits | None:
        """The limits in `joint_limits` [rad or m] by joint; None if there are none.

        Raises:
            InvalidArgumentError: They are malformed, or a file cannot be read.
        """
        text = self.joint_limits.strip()
        if text.endswith((".yaml", ".yml")):
            return read_joint_limits(text)
        limits = {}
        for part in filter(None, map(str.strip, text.split(";"))):
            try:
                name, lower, upper = part.split()
                limits[name] = float(lower), float(upper)
            except ValueError:
                raise InvalidArgumentError(
                    f"parameter joint_limits takes 'NAME LOWER UPPER', separated by semicolons, "
                    f"or the name of a .yaml file, got '{short(part)}'"
                ) from None
        return limits or None

    @property
    def servo_limits(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The limits of velocity [rad/s or m/s] and acceleration [rad/s^2 or m/s^2] of the servo.

        Each is one for all joints, one for each, or none.

        Raises:
            InvalidArgumentError: They are malformed.
        """
        return (
            _positive_numbers("servo_velocity_limits", self.servo_velocity_limits),
            _positive_numbers("servo_acceleration_limits", self.servo_acceleration_limits),
        )

    def changed(self, values: Mapping[str, object]) -> "Settings":
        """Return validated settings with some values replaced.

        Args:
            values: New value for each parameter name, whose type and bounds rclpy has checked by
                the descriptor; names not in the table are ignored.

        Raises:
            InvalidArgumentError: The values contradict each other, the groups or limits are
                malformed, or a folder of meshes does not exist.
            UnknownNameError: The sampler or the device does not exist.
            RobotDescriptionError: The semantic description is unusable.
        """
        names = {entry.name for entry in fields(self)}
        known = {name: value for name, value in values.items() if name in names}
        settings = replace(self, **known)  # pyright: ignore[reportArgumentType]
        for entry in fields(self):
            value, choices = getattr(settings, entry.name), entry.metadata["choices"]
            if choices and value not in choices:
                raise UnknownNameError(entry.name, value, choices)
        SemanticDescription.from_chains(settings.groups)
        _ = settings.limits, settings.servo_limits
        MeshFolders(settings.mesh_folders)
        if settings.robot_description_semantic:
            SemanticDescription.from_srdf(settings.robot_description_semantic)
        for name, limit in (("num_solutions", "max_solutions"), ("timeout", "max_timeout")):
            if getattr(settings, name) > getattr(settings, limit):
                raise InvalidArgumentError(
                    f"parameter {name} ({getattr(settings, name)}) must not be above parameter "
                    f"{limit} ({getattr(settings, limit)})"
                )
        return settings


def _positive_numbers(name: str, text: str) -> tuple[float, ...]:
    """Return the numbers in the value of a parameter, separated by spaces.

    Raises:
        InvalidArgumentError: One is no finite number above 0.
    """
    try:
        numbers = tuple(map(float, text.split()))
    except ValueError:
        numbers = (math.nan,)
    if not all(0.0 < number < math.inf for number in numbers):
        raise InvalidArgumentError(
            f"parameter {name} takes one number above 0 for all joints, or one for each, "
            f"separated by spaces, got '{short(text)}'"
        )
    return numbers
