"""The node's parameters: one described table in, validated frozen settings out."""

import math
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
)
from rclpy.exceptions import ParameterException
from rclpy.node import Node

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.robot.srdf import SemanticDescription
from generative_ik_ros.samplers.registry import sampler_names


def _entry(
    default: str | int | float | bool,
    description: str,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    read_only: bool = False,
) -> Any:  # noqa: ANN401  # a dataclass field poses as its value
    return field(
        default=default,
        metadata={
            "description": description,
            "unit": unit,
            "low": low,
            "high": high,
            "read_only": read_only,
        },
    )


@dataclass(frozen=True)
class Settings:
    """Every parameter of the node with its default, unit, bounds and description.

    This class is the table: a parameter is declared, checked, documented and read from its
    line here. Angles are in [rad], lengths in [m], times in [s].
    """

    robot_description: str = _entry(
        "", "URDF text of the robot; empty: wait for the topic robot_description"
    )
    base_link: str = _entry(
        "", "link in which targets are given; empty: the robot's one obvious base"
    )
    tip_link: str = _entry(
        "", "link to bring to the target where a request names none; empty: the one obvious tip"
    )
    robot_description_semantic: str = _entry(
        "", "SRDF text with the planning groups; empty: wait for the topic of that name"
    )
    groups: str = _entry(
        "", "further planning groups, 'NAME BASE_LINK TIP_LINK', separated by semicolons"
    )
    sampler: str = _entry("auto", "where seeds come from where a request names no sampler")
    num_solutions: int = _entry(
        100, "distinct solutions for each target where a request names no number", "", 1, 100_000
    )
    max_solutions: int = _entry(
        100_000,
        "most solutions that one request may ask for, over all its targets",
        "",
        1,
        10_000_000,
    )
    max_targets: int = _entry(10_000, "most targets in one request", "", 1, 1_000_000)
    position_tolerance: float = _entry(
        1e-5,
        "largest distance from the target where a request names none; inf: position is free",
        "m",
        1e-12,
        math.inf,
    )
    orientation_tolerance: float = _entry(
        1e-5,
        "largest angle from the target where a request names none; inf: orientation is free",
        "rad",
        1e-12,
        math.inf,
    )
    timeout: float = _entry(1.0, "time for a whole request where it names none", "s", 1e-4, 3600.0)
    max_timeout: float = _entry(60.0, "longest timeout a request may ask for", "s", 1e-4, 3600.0)
    random_seed: int = _entry(
        0, "random seed for ~/target_pose; negative: a new one each time", "", -1, 2**63 - 1
    )
    tf_timeout: float = _entry(
        0.5, "longest wait for a transform that is not known yet", "s", 0.0, 60.0
    )
    marker_limit: int = _entry(
        20, "most arms drawn on ~/solution_markers, over all targets; 0: only targets", "", 0, 1000
    )
    marker_rate: float = _entry(
        10.0, "most marker messages a second; the latest result wins", "Hz", 0.1, 100.0
    )
    marker_opacity: float = _entry(
        0.35, "opacity of the arms on ~/solution_markers", "", 0.01, 1.0
    )
    device: str = _entry("auto", "where learned samplers run: auto, cpu or cuda", read_only=True)
    num_threads: int = _entry(
        4,
        "requests that each service answers at the same time, and as many callbacks besides",
        "",
        2,
        64,
        read_only=True,
    )

    def changed(self, values: Mapping[str, object]) -> "Settings":
        """Return these settings with some values replaced, every value checked.

        Args:
            values: New value for each parameter name; names not in the table are ignored.

        Raises:
            InvalidArgumentError: A value has the wrong type or is out of bounds, or the values
                contradict each other.
            UnknownNameError: The sampler does not exist.
            RobotDescriptionError: The semantic description is unusable.
        """
        table = {entry.name: entry for entry in fields(self)}
        known = {name: value for name, value in values.items() if name in table}
        for name, value in known.items():
            _check(table[name], value)
        settings = replace(self, **known)  # pyright: ignore[reportArgumentType]
        choices = ("auto", *sampler_names())
        if settings.sampler not in choices:
            raise UnknownNameError("sampler", settings.sampler, choices)
        SemanticDescription.from_chains(settings.groups)
        if settings.robot_description_semantic:
            SemanticDescription.from_srdf(settings.robot_description_semantic)
        for name, limit in (("num_solutions", "max_solutions"), ("timeout", "max_timeout")):
            if getattr(settings, name) > getattr(settings, limit):
                raise InvalidArgumentError(
                    f"parameter {name} ({getattr(settings, name)}) must not be above parameter "
                    f"{limit} ({getattr(settings, limit)})"
                )
        return settings


def declare(node: Node) -> Settings:
    """Declare every parameter of the table on a node and return their first values.

    Raises:
        InvalidArgumentError: A value given at start has the wrong type or is out of bounds.
        UnknownNameError: The sampler given at start does not exist.
    """
    values: dict[str, object] = {}
    for entry in fields(Settings):
        try:
            parameter = node.declare_parameter(entry.name, entry.default, _descriptor(entry))
        except ParameterException as error:
            raise InvalidArgumentError(str(error)) from error
        values[entry.name] = parameter.value
    return Settings().changed(values)


def _descriptor(entry: Field[Any]) -> ParameterDescriptor:
    """Describe one line of the table in ROS's own terms."""
    low, high = entry.metadata["low"], entry.metadata["high"]
    unit = f" [{entry.metadata['unit']}]" if entry.metadata["unit"] else ""
    descriptor = ParameterDescriptor(
        description=entry.metadata["description"] + unit,
        read_only=entry.metadata["read_only"],
    )
    if type(entry.default) is int:
        descriptor.integer_range = [IntegerRange(from_value=low, to_value=high)]
    elif type(entry.default) is float:
        descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
    return descriptor


def _check(entry: Field[Any], value: object) -> None:
    """Raise InvalidArgumentError unless a value fits its line of the table."""
    expected = type(entry.default)
    if type(value) is not expected:
        raise InvalidArgumentError(
            f"parameter {entry.name} takes {expected.__name__}, got {type(value).__name__}"
        )
    low, high = entry.metadata["low"], entry.metadata["high"]
    # Written so that NaN, which compares false with everything, is refused as well.
    if low is not None and not low <= value <= high:  # pyright: ignore[reportOperatorIssue]
        unit = f" {entry.metadata['unit']}" if entry.metadata["unit"] else ""
        raise InvalidArgumentError(
            f"parameter {entry.name} must lie between {low} and {high}{unit}, got {value}"
        )
