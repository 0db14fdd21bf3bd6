"""What makes targets of a device in a hand: a clutch, jogging, and a filter."""

import math
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros import _core
from generative_ik_ros.arguments import finite_number, number_array
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError, shown
from generative_ik_ros.robot.targets import check_targets
from generative_ik_ros.tracking.uncopied import Uncopied

_Kind = TypeVar("_Kind")


class Clutch(Uncopied):
    """Moves a target with a device in a hand for as long as the clutch is engaged.

    From the moment at which it is engaged, the tip moves as the device does, wherever both are
    then. To move further than the hand reaches, release it, move the hand back, and engage it
    again.

    Args:
        scale: Distance of the tip for each metre of the device, at most 1e6.
        orientation_scale: Angle of the tip for each radian of the device, at most 1e6; 0 keeps
            its orientation.
        frame_in_base: (3, 3) or (4, 4) the orientation of the frame that the device's poses are
            given in, such as that of a headset, in the chain's base link; None: the same.

    Raises:
        InvalidArgumentError: `scale` is not above 0, `orientation_scale` is below 0, one of them
            is above 1e6, or the frame is no rotation.
    """

    def __init__(
        self,
        scale: float = 1.0,
        orientation_scale: float = 1.0,
        frame_in_base: ArrayLike | None = None,
    ):
        """Begin released."""
        scale = finite_number("scale", scale)
        if not (isinstance(orientation_scale, float | int) and orientation_scale == 0.0):
            orientation_scale = finite_number("orientation_scale", orientation_scale)
        frame = _rotation("frame_in_base", frame_in_base)
        self._core = _made(_core.Clutch, scale, orientation_scale, frame)

    @property
    def engaged(self) -> bool:
        """Whether it is engaged."""
        return self._core.engaged()

    def step(self, device: ArrayLike, engaged: bool, tip: ArrayLike) -> Floats | None:
        """Return the target, (4, 4) in base [m]; None while the clutch is released.

        Args:
            device: (4, 4) pose of the device in its own frame [m].
            engaged: Whether the clutch is engaged, such as by a button that is held down.
            tip: (4, 4) where the tip is, in base [m]: the target begins there.

        Raises:
            InvalidTargetError: The device or the tip has no pose, or the target would be too far
                away for a number; nothing changes.
        """
        try:
            held = bool(engaged)
        except (TypeError, ValueError):
            raise InvalidArgumentError(
                f"engaged must be True or False, not {shown(engaged)}"
            ) from None
        if not held:
            self._core.release()
            return None
        return _target(self._core.step(_pose("device", device), _pose("tip", tip)))


class Jog(Uncopied):
    """Moves a target by velocities, for example those of a joystick or a space mouse.

    The target does not run away from a tip that cannot follow, for example at a joint limit: when
    the device is reversed, the tip moves back at once.

    Args:
        period: Time between two steps [s].
        largest_lead: Distance [m] and angle [rad] by which the target may be ahead of the tip.

    Raises:
        InvalidArgumentError: One of them is not above 0.
    """

    def __init__(self, period: float, largest_lead: tuple[float, float] = (0.05, 0.2)):
        """Begin at wherever the tip is at the first step."""
        try:
            position, orientation = largest_lead
        except (TypeError, ValueError):
            raise InvalidArgumentError(
                "largest_lead must be two numbers, a distance [m] and an angle [rad], not "
                f"{shown(largest_lead)}"
            ) from None
        self._core = _core.Jog(
            finite_number("period", period, "number of seconds"),
            finite_number("largest_lead, distance", position),
            finite_number("largest_lead, angle", orientation),
        )

    def reset(self) -> None:
        """Begin at wherever the tip is at the next step."""
        self._core.reset()

    def step(
        self, twist: ArrayLike, tip: ArrayLike, frame_in_base: ArrayLike | None = None
    ) -> Floats:
        """Return the target, (4, 4) in base [m].

        Args:
            twist: (6,) linear velocity of the tip [m/s] and angular velocity [rad/s].
            tip: (4, 4) where the tip is, in base [m].
            frame_in_base: (3, 3) or (4, 4) the orientation of the frame that the twist is given in
                in base, such as that of the tip; None: the base's.

        Raises:
            InvalidTargetError: The twist is no six finite numbers, or they are too large to move
                by, or the tip has no pose; nothing changes.
            InvalidArgumentError: The frame is no rotation.
        """
        velocity = number_array("twist", twist, InvalidTargetError)
        if velocity.shape != (6,) or not np.isfinite(velocity).all():
            raise InvalidTargetError(f"twist must be six finite numbers, not {shown(twist)}")
        tip, frame = _pose("tip", tip), _rotation("frame_in_base", frame_in_base)
        return _target(self._core.step(np.ascontiguousarray(velocity), frame, tip))


class PoseFilter(Uncopied):
    """Smooths target poses by a critically damped filter of second order.

    It removes the tremor of a hand, and turns targets that come less often than the steps of a
    tracker into smooth motion. It does not overshoot a target that stands still, and lags by
    `delay` behind one that moves.

    Args:
        period: Time between two steps [s].
        cutoff: Frequency above which motion is attenuated [Hz]. 2 is calm, 5 is brisk.

    Attributes:
        delay: Lag behind a target that moves at constant velocity [s].

    Raises:
        InvalidArgumentError: One of them is not above 0, or their product is too large.
    """

    def __init__(self, period: float, cutoff: float):
        """Begin at the first target."""
        period = finite_number("period", period, "number of seconds")
        cutoff = finite_number("cutoff", cutoff, "frequency [Hz]")
        self.delay = 1.0 / (math.pi * cutoff)
        self._core = _made(_core.PoseFilter, period, cutoff)

    def reset(self, pose: ArrayLike | None = None) -> None:
        """Begin anew, at rest.

        Args:
            pose: (4, 4) where, such as the tip's pose [m]; None: at the next target.

        Raises:
            InvalidTargetError: It is no pose.
        """
        self._core.reset(None if pose is None else _pose("pose", pose))

    def step(self, target: ArrayLike) -> Floats:
        """Return the filtered target (4, 4), one period on.

        Args:
            target: (4, 4) [m].

        Raises:
            InvalidTargetError: It is no pose, or too far away to be filtered; nothing changes.
        """
        return _target(self._core.step(_pose("target", target)))


def _made(kind: type[_Kind], *settings: float | Floats) -> _Kind:
    """Make an object of the core, which refuses what it cannot compute with."""
    try:
        return kind(*settings)
    except ValueError as error:
        raise InvalidArgumentError(str(error)) from None


def _target(pose: Floats) -> Floats:
    """Return a target, unless the core has none."""
    if not _core.are_poses(pose[None]):
        raise InvalidTargetError("the numbers are too large to make a target of")
    return pose


def _pose(name: str, value: ArrayLike) -> Floats:
    pose = np.ascontiguousarray(number_array(name, value, InvalidTargetError))
    if pose.shape != (4, 4):
        raise InvalidTargetError(f"{name} has shape {pose.shape}; it must be (4, 4)")
    if _core.are_poses(pose[None]):
        return pose
    try:
        return check_targets(pose)[0]
    except InvalidTargetError as error:
        raise InvalidTargetError(f"{name}: {error}") from None


def _rotation(name: str, value: ArrayLike | None) -> Floats:
    """Return the rotation (3, 3) of a rotation or pose; None is no rotation."""
    if value is None:
        return np.eye(3)
    frame, pose = number_array(name, value), np.eye(4)
    if frame.shape not in ((3, 3), (4, 4)):
        raise InvalidArgumentError(f"{name} has shape {frame.shape}; it must be (3, 3) or (4, 4)")
    pose[: len(frame), : len(frame)] = frame
    try:
        return np.ascontiguousarray(_pose(name, pose)[:3, :3])
    except InvalidTargetError as error:
        raise InvalidArgumentError(str(error)) from None
