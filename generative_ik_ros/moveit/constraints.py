"""MoveIt's position and orientation constraints as task space regions.

Messages are those of moveit_msgs, or anything with the same attributes. What the numbers mean is
what MoveIt's `kinematic_constraints` decides by: a point of the link is inside a shape, and Euler
angles (about the axes of the constraint's orientation) or the rotation vector (in the axes of the
constraint's frame) are within tolerances.
"""

import math
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidTargetError, UnknownNameError
from generative_ik_ros.moveit.poses import to_transform
from generative_ik_ros.robot.region import AXES, TaskSpaceRegion

Message = Any
Matrix = Floats
Frames = Mapping[str, Matrix]
"""Poses of frames in the base link, (4, 4) [m], by name."""

SHAPES = {1: ("box", 3), 2: ("sphere", 1), 3: ("cylinder", 2)}
"""Name and number of dimensions of those of shape_msgs/SolidPrimitive that can be used."""
_EULER_TO_RPY = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""P in Rx(a) Ry(b) Rz(c) = P Rz(a) Ry(b) Rx(-c) P^-1: MoveIt's angles as yaw, pitch and roll."""


class Parameterization(IntEnum):
    """What the tolerances of a moveit_msgs/OrientationConstraint are about."""

    XYZ_EULER_ANGLES = 0
    ROTATION_VECTOR = 1


class ConstraintGoal(NamedTuple):
    """Where a frame of a link has to be: for `GenerativeIK` and `IKSolver.solve`.

    Attributes:
        tool: (4, 4) the frame in the link [m], see `robot.tool.with_tools`.
        target: (4, 4) what the region is about, in the base link [m].
        region: Where the frame may be about the target.
    """

    tool: Matrix
    target: Matrix
    region: TaskSpaceRegion


class _Place(NamedTuple):
    """A box for a point of the link; `axes` (3, 3) are None where any would do."""

    center: Matrix
    axes: Matrix | None
    half: Matrix
    offset: Matrix


class _Turn(NamedTuple):
    """Rotations X with link · tool = frame · X: bounds (3,) of roll, pitch and yaw, or a cone."""

    frame: Matrix
    tool: Matrix
    bounds: Matrix
    cone: tuple[str, float] | None = None


def constraint_goals(constraints: Message, frames: Frames) -> dict[str, ConstraintGoal]:
    """Translate position and orientation constraints to a region for each link that has any.

    Boxes and Euler angles are translated exactly. Of what is no such region, one inside it is
    taken: of a sphere and of a cylinder the inscribed box, of rotation vectors a box of angles or,
    with one axis free, a cone. All that is inside the region therefore fulfils the constraints.

    Args:
        constraints: moveit_msgs/Constraints; other kinds of constraints are left out.
        frames: The frames that constraints are given in.

    Raises:
        InvalidTargetError: A constraint is malformed, or no region; the message says what would
            be one.
        UnknownNameError: A frame is not among `frames`.
    """
    position = _by_link("position", constraints.position_constraints)
    orientation = _by_link("orientation", constraints.orientation_constraints)
    goals = {}
    for link in dict.fromkeys([*position, *orientation]):
        place = read_place(position[link], frames) if link in position else None
        turn = _turn(orientation[link], frames) if link in orientation else None
        goals[link] = _goal(link, place, turn)
    return goals


def frame_of(constraint: Message, frames: Frames) -> Matrix:
    """Return the pose of a constraint's frame in the base link (4, 4)."""
    name = constraint.header.frame_id.removeprefix("/")
    if not name:
        raise InvalidTargetError(f"a constraint on '{constraint.link_name}' has no frame_id")
    if name not in frames:
        raise UnknownNameError("frame", name, frames)
    return frames[name]


def read_shapes(position: Message, frames: Frames) -> list[tuple[int, Matrix, Matrix]]:
    """Return type, dimensions [m] and pose in the base link (4, 4) of a position's shapes.

    Raises:
        InvalidTargetError: There are none, one is malformed, or of another kind.
    """
    link, volume = position.link_name, position.constraint_region
    wanted = "use boxes, spheres or cylinders in primitives, with a primitive_pose for each"
    if volume.meshes:
        raise InvalidTargetError(f"a position constraint on '{link}' has meshes; {wanted}")
    if not volume.primitives or len(volume.primitives) != len(volume.primitive_poses):
        raise InvalidTargetError(
            f"a position constraint on '{link}' has {len(volume.primitives)} primitives and "
            f"{len(volume.primitive_poses)} primitive_poses; {wanted}"
        )
    found = []
    for primitive, pose in zip(volume.primitives, volume.primitive_poses, strict=True):
        if primitive.type not in SHAPES:
            raise InvalidTargetError(
                f"a position constraint on '{link}' has a primitive of type {primitive.type}; "
                + wanted
            )
        name, count = SHAPES[primitive.type]
        sizes = np.array(primitive.dimensions, np.float64)
        if len(sizes) != count or not (np.isfinite(sizes).all() and (sizes >= 0.0).all()):
            raise InvalidTargetError(
                f"the {name} of a position constraint on '{link}' needs {count} dimensions of 0 "
                f"or more, not {sizes.tolist()}"
            )
        found.append((primitive.type, sizes, frame_of(position, frames) @ to_transform(pose)))
    return found


def read_offset(position: Message) -> Matrix:
    """Return the point of the link that a position constraint is for (3,) [m]."""
    at = position.target_point_offset
    offset = np.array([at.x, at.y, at.z], np.float64)
    if not np.isfinite(offset).all():
        raise InvalidTargetError(f"target_point_offset of '{position.link_name}' is not finite")
    return offset


def read_place(position: Message, frames: Frames) -> _Place:
    """Return the box of a position constraint, which has one shape."""
    shapes = read_shapes(position, frames)
    if len(shapes) != 1:
        raise InvalidTargetError(
            f"a position constraint on '{position.link_name}' has {len(shapes)} primitives, any "
            "of which would do; a region is one box, sphere or cylinder"
        )
    (kind, sizes, pose), offset = shapes[0], read_offset(position)
    name, _ = SHAPES[kind]
    if name == "sphere":
        return _Place(pose[:3, 3], None, np.full(3, sizes[0] / math.sqrt(3.0)), offset)
    if name == "cylinder":
        height, radius = sizes.tolist()
        sizes = np.array([*[math.sqrt(2.0) * radius] * 2, height])
    axes = pose[:3, :3] if sizes.any() else None
    return _Place(pose[:3, 3], axes, 0.5 * sizes, offset)


def read_orientation(orientation: Message, frames: Frames) -> tuple[Matrix, Matrix, Matrix]:
    """Return frame (3, 3) in the base, rotation (3, 3) in the frame, and tolerances (3,) [rad].

    Raises:
        InvalidTargetError: A number is not finite, the quaternion is none, or the
            parameterization is unknown.
    """
    q, link = orientation.orientation, orientation.link_name
    rotation = to_transform((0.0, 0.0, 0.0, q.x, q.y, q.z, q.w))[:3, :3]
    given = [getattr(orientation, f"absolute_{axis}_axis_tolerance") for axis in AXES]
    tolerances = np.abs(np.array(given, np.float64))  # as MoveIt does
    if np.isnan(tolerances).any():
        raise InvalidTargetError(f"a tolerance of the orientation constraint on '{link}' is NaN")
    if orientation.parameterization not in tuple(Parameterization):
        raise InvalidTargetError(
            f"the orientation constraint on '{link}' has parameterization "
            f"{orientation.parameterization}; it must be 0 (XYZ_EULER_ANGLES) or 1 "
            "(ROTATION_VECTOR)"
        )
    return frame_of(orientation, frames)[:3, :3], rotation, np.minimum(tolerances, math.pi)


def _turn(orientation: Message, frames: Frames) -> _Turn | None:
    """Return the rotations that an orientation constraint allows, or some of them; None: all."""
    frame, rotation, tolerances = read_orientation(orientation, frames)
    desired, free = frame @ rotation, tolerances == math.pi
    if not tolerances.any():
        return _Turn(desired, np.eye(3), tolerances)
    if orientation.parameterization == Parameterization.XYZ_EULER_ANGLES:
        # The angle about y is between -90 and 90 degrees, so that all there are is a half turn.
        x, y, z = np.minimum(tolerances, [math.pi, 0.5 * math.pi, math.pi]).tolist()
        if free[[0, 2]].all() and y == 0.5 * math.pi:
            return None
        if np.count_nonzero(tolerances) == 1:
            return _Turn(desired, np.eye(3), np.array([x, y, z]))
        return _Turn(desired @ _EULER_TO_RPY, _EULER_TO_RPY, np.array([z, y, x]))
    if free.all():
        return None
    about = frame, rotation.T
    if np.count_nonzero(tolerances) == 1:
        return _Turn(*about, tolerances)
    if free.sum() == 1:
        # Where the spin is a half turn, the vector is longest for the tilt of the axis.
        tilt = 2.0 * math.asin(tolerances[~free].min() / math.pi)
        return _Turn(*about, tolerances, (AXES[int(free.argmax())], tilt))
    return _Turn(*about, _angles_within(tolerances))


def _angles_within(tolerances: Matrix) -> Matrix:
    """Return bounds of roll, pitch, yaw whose rotations have vectors within tolerances (3,).

    The tolerances, made smaller by one factor. With half angles r, p, y the rotation's quaternion
    has |x| <= sin r + sin p sin y and so on, and the vector is at most as much longer than it as
    for the largest angle, which is at most 2 (r + p + y).
    """
    if not tolerances.all():
        # Rotations with a vector in a plane hold no box of angles, only turns about one axis.
        return np.where(np.arange(3) == tolerances.argmax(), tolerances, 0.0)
    low, high = 0.0, 1.0
    for _ in range(50):
        share = 0.5 * (low + high)
        half = 0.5 * share * tolerances
        sines, angle = np.sin(half), min(2.0 * half.sum(), math.pi)
        longest = sines + np.roll(sines, -1) * np.roll(sines, 1)
        fits = (longest * angle / math.sin(0.5 * angle) <= tolerances).all()
        low, high = (share, high) if fits else (low, share)
    return low * tolerances


def _goal(link: str, place: _Place | None, turn: _Turn | None) -> ConstraintGoal:
    """Put a place and rotations together."""
    if place is None:
        place = _Place(np.zeros(3), None, np.full(3, np.inf), np.zeros(3))
    frame = place.axes if place.axes is not None else np.eye(3)
    tool, half = np.eye(4), place.half
    bounds, cone = np.full(3, math.pi), None
    if turn is not None:
        bounds, cone = turn.bounds, turn.cone
        if not bounds.any() and place.axes is not None:
            # There is one rotation, seen from the box's axes as well as from any.
            tool[:3, :3] = turn.frame.T @ frame
        else:
            half = _half_along(link, place, turn.frame)
            frame, tool[:3, :3] = turn.frame, turn.tool
    tool[:3, 3] = place.offset
    target = np.eye(4)
    target[:3, :3], target[:3, 3] = frame, place.center
    if cone is not None:
        return ConstraintGoal(tool, target, TaskSpaceRegion.cone(*cone, -half, half))
    upper = np.concatenate([half, bounds])
    return ConstraintGoal(tool, target, TaskSpaceRegion(0.0 - upper, upper))


def _half_along(link: str, place: _Place, frame: Matrix) -> Matrix:
    """Return the half lengths of the box along the axes of the rotation's frame (3,)."""
    if place.axes is None:
        return place.half
    across = np.abs(frame.T @ place.axes)
    parallel = across > 1.0 - 1e-6
    if parallel.sum() != 3:
        raise InvalidTargetError(
            f"the axes of the box or cylinder for '{link}' and those of its orientation "
            "constraint are not parallel; turn the box, use a sphere, or allow one orientation "
            "(tolerances 0) or all of them (pi)"
        )
    return parallel @ place.half


def _by_link(kind: str, constraints: list[Message]) -> dict[str, Message]:
    """Return the constraints by link, of which each may have one of a kind."""
    found: dict[str, Message] = {}
    for constraint in constraints:
        if constraint.link_name in found:
            raise InvalidTargetError(
                f"there are several {kind} constraints on '{constraint.link_name}'; give one"
            )
        found[constraint.link_name] = constraint
    return found
