"""Checks of the numbers that callers pass, with error messages that name the argument."""

import math
import operator
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import (
    GenerativeIKError,
    InvalidArgumentError,
    MissingDependencyError,
    check_names,
    shown,
)

DEVICES = ("auto", "cpu", "cuda")
MAX_SOLUTIONS = 1_000_000
MAX_SEED = 2**63 - 1
_Item = TypeVar("_Item")


def check_device(device: str) -> str:
    """Return the name of a device.

    Raises:
        UnknownNameError: The name is none of `DEVICES`.
    """
    check_names("device", [device], DEVICES)
    return device


def check_torch_device(device: str) -> str:
    """Return the name of a device that PyTorch has.

    Raises:
        MissingDependencyError: It is "cuda", and PyTorch is not installed.
        InvalidArgumentError: It is "cuda", and there is no such device.
    """
    if device == "cuda":
        try:
            import torch
        except ModuleNotFoundError as error:
            raise MissingDependencyError(
                "device 'cuda' needs PyTorch, which is not installed: "
                "pip install 'generative_ik_ros[learned]'"
            ) from error

        if not torch.cuda.is_available():
            raise InvalidArgumentError("device 'cuda' was asked for, but there is no CUDA device")
    return device


def positive_number(name: str, value: Any, kind: str = "number") -> float:  # noqa: ANN401
    """Return a real number above 0 as a float; numpy's scalars are numbers, booleans are not.

    Args:
        name: The argument's name, for the message.
        value: What was passed.
        kind: What it should be, for the message.

    Raises:
        InvalidArgumentError: It is no such number, NaN, or larger than any float; inf is allowed.
    """
    real = isinstance(value, (int, float, np.floating, np.integer))
    if not real and getattr(value, "shape", None) == ():  # an array or a tensor of one number
        value = np.asarray(without_tensors(value))
        real = value.dtype.kind in "iuf"
    try:
        if real and not isinstance(value, bool) and (number := float(value)) > 0.0:
            return number
    except OverflowError:
        pass
    raise InvalidArgumentError(f"{name} must be a {kind} above 0, not {shown(value)}")


def finite_number(name: str, value: object, kind: str = "number") -> float:
    """Return a number above 0, as `positive_number`, that is not infinite either.

    Raises:
        InvalidArgumentError: It is no such number.
    """
    number = positive_number(name, value, kind)
    if math.isinf(number):
        raise InvalidArgumentError(f"{name} must be finite")
    return number


def whole_number(name: str, value: object, least: int, most: int) -> int:
    """Return a whole number as an int.

    Raises:
        InvalidArgumentError: It is not whole, a boolean, or outside of `least` to `most`.
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            value = int(value)
        number = operator.index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise InvalidArgumentError(f"{name} must be a whole number, not {shown(value)}") from None
    if not least <= number <= most:
        raise InvalidArgumentError(f"{name} must be from {least} to {most}, not {number}")
    return number


def true_or_false(name: str, value: object) -> bool:
    """Return a truth value.

    Raises:
        InvalidArgumentError: It is not one.
    """
    if not isinstance(value, bool | np.bool_):
        raise InvalidArgumentError(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


def file_path(name: str, value: object) -> Path:
    """Return the path of a file or folder.

    Raises:
        InvalidArgumentError: It is not a path.
    """
    if not isinstance(value, str | PathLike) or "\0" in str(value):
        raise InvalidArgumentError(f"{name} must name a file, not {shown(value)}")
    return Path(value)


def listed_items(
    name: str, values: object, kind: type[_Item] | tuple[type[_Item], ...], what: str
) -> tuple[_Item, ...]:
    """Return the items of a list, which may be any iterable but a text.

    Args:
        name: The argument's name, for the message.
        values: What was passed.
        kind: The type of each item, or several.
        what: What the items should be, for the message.

    Raises:
        InvalidArgumentError: It is no list, or an item is something else.
    """
    try:
        if isinstance(values, str | bytes):
            raise TypeError
        items = tuple(values)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise InvalidArgumentError(
            f"{name} must be a list of {what}, not {shown(values)}"
        ) from None
    for item in items:
        if not isinstance(item, kind):
            raise InvalidArgumentError(f"{name} must be a list of {what}; {shown(item)} is none")
    return items


def number_array(
    name: str, values: ArrayLike, error: type[GenerativeIKError] = InvalidArgumentError
) -> Floats:
    """Return an array of numbers of any shape as float64; no copy if it is one already.

    PyTorch's tensors are arrays, wherever they are and whether or not they require gradients.

    Raises:
        InvalidArgumentError: (or `error`) It holds something else, such as masked or complex
            values, or a whole number that is larger than any float.
    """
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values
    try:
        try:
            array: Any = np.asanyarray(values)
        except (TypeError, ValueError, RuntimeError):
            array = np.asanyarray(without_tensors(values))
        if np.ma.is_masked(array) or (np.iscomplexobj(array) and array.imag.any()):
            raise TypeError
        return np.asarray(array.real, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise error(f"{name} must be an array of numbers") from None


def without_tensors(values: Any) -> Any:  # noqa: ANN401 (whatever a caller has)
    """Return nested lists with arrays in place of PyTorch's tensors."""
    if hasattr(values, "detach"):
        tensor = values.detach().cpu()
        return (tensor.double() if tensor.is_floating_point() else tensor).numpy()
    if isinstance(values, list | tuple):
        return [without_tensors(one) for one in values]
    return values


def joint_array(
    name: str, values: ArrayLike, joint_names: Sequence[str], *, single: bool = False
) -> Floats:
    """Return an array with one number for each of n joints, (n,).

    Args:
        name: The argument's name, for the message.
        values: What was passed.
        joint_names: The n joints.
        single: Whether one number may stand for all of them.

    Raises:
        InvalidArgumentError: It has another shape or holds something else.
    """
    numbers, size = number_array(name, values), len(joint_names)
    if numbers.shape == () and single:
        return np.full(size, numbers)
    if numbers.shape != (size,):
        raise InvalidArgumentError(
            f"{name} has shape {numbers.shape}; {'one number for all, or ' if single else ''}one "
            f"is needed for each of the {size} joints: {', '.join(joint_names)}"
        )
    return numbers


def positive_joint_array(
    name: str, values: ArrayLike, joint_names: Sequence[str], *, single: bool = False
) -> Floats:
    """Return `joint_array`, of numbers that are finite and above 0.

    Raises:
        InvalidArgumentError: As by that, or a number is neither.
    """
    numbers = joint_array(name, values, joint_names, single=single)
    if not ((numbers > 0.0) & np.isfinite(numbers)).all():
        raise InvalidArgumentError(f"{name} must be above 0 and finite for every joint")
    return numbers


def motion_weights(joint_weights: ArrayLike | None, joint_names: Sequence[str]) -> Floats:
    """Return the weight of a rad or m of each joint's motion, (n,); None: 1."""
    if joint_weights is None:
        return np.ones(len(joint_names))
    return positive_joint_array("joint_weights", joint_weights, joint_names)
