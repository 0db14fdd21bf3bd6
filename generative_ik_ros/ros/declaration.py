"""Declares the node's parameters, and takes values of another type for what they mean."""

from array import array
from collections.abc import Sequence
from dataclasses import Field, fields
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterTypeException, ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.ros.parameters import Settings


def declare(node: Node) -> Settings:
    """Declare every parameter of the table on a node and return the initial values.

    Raises:
        InvalidArgumentError: An initial value has the wrong type or is out of bounds.
        UnknownNameError: The initial sampler does not exist.
    """
    values: dict[str, object] = {}
    for entry in fields(Settings):
        try:
            parameter = _declare(node, entry)
        except ParameterException as error:
            raise InvalidArgumentError(str(error)) from error
        values[entry.name] = parameter.value
    return Settings().changed(values)


def _declare(node: Node, entry: Field[Any]) -> Parameter:
    """Declare a parameter, whose initial value may be of another type, and return it."""
    try:
        return node.declare_parameter(entry.name, entry.default, _descriptor(entry))
    except InvalidParameterTypeException:
        anything = ParameterDescriptor(dynamic_typing=True)
        given = node.declare_parameter(entry.name, entry.default, anything)
        node.undeclare_parameter(entry.name)
        meant = as_meant([given])[0]
        if type(meant.value) is not type(entry.default):
            raise
        return node.declare_parameter(
            entry.name, meant.value, _descriptor(entry), ignore_override=True
        )


class ParameterNode(Node):
    """A node whose parameters may be set to values of another type that mean the same."""

    def set_parameters(self, parameter_list: list[Parameter]) -> list[SetParametersResult]:
        """Set parameters one by one."""
        return super().set_parameters(as_meant(parameter_list))

    def set_parameters_atomically(self, parameter_list: list[Parameter]) -> SetParametersResult:
        """Set all parameters, or none."""
        return super().set_parameters_atomically(as_meant(parameter_list))


def as_meant(changes: Sequence[Parameter]) -> list[Parameter]:
    """Return parameters with the types of the table, where their values mean the same.

    In a shell and in YAML, people write 1 where they mean 1.0, and lists as lists.
    """
    table = {entry.name: entry for entry in fields(Settings)}
    return [
        Parameter(change.name, value=_meant(table[change.name], change.value))
        if change.name in table
        else change
        for change in changes
    ]


def _meant(entry: Field[Any], value: object) -> object:
    kind, separator = type(entry.default), entry.metadata["separator"]
    if kind is float and type(value) is int:
        return float(value)
    if kind is int and type(value) is float and value.is_integer():
        return int(value)
    if separator and type(value) in (int, float):
        return str(value)
    # Parameters hold arrays of numbers as array.array.
    if separator and isinstance(value, list | tuple | array):
        if all(type(v) in (str, int, float) for v in value):
            return separator.join(map(str, value))
    return value


def _descriptor(entry: Field[Any]) -> ParameterDescriptor:
    """Return the ROS parameter descriptor of a table entry."""
    low, high = entry.metadata["low"], entry.metadata["high"]
    choices = ", ".join(entry.metadata["choices"])
    descriptor = ParameterDescriptor(
        description=entry.metadata["description"],
        read_only=entry.metadata["read_only"],
        additional_constraints=f"one of: {choices}" if choices else "",
    )
    if type(entry.default) is int:
        descriptor.integer_range = [IntegerRange(from_value=low, to_value=high)]
    elif type(entry.default) is float:
        descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
    return descriptor
