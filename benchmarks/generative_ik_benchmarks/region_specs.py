"""Regions of poses, defined a second time in plain numpy: membership, points within, checks."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.verification import Checker, rotation_angle
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.rigid import TURN

_AXES = "xyz"
_SHIFTS = np.array([[0, 0, 0], [0.1, 0, 0], [-0.1, 0, 0], [0, 0.1, 0.1], [0, -0.1, -0.1]])
"""Where the nearest rotation is searched from, about the clipped one [rad]."""
_NEARLY = 1e-5
"""Angles outside of bounds that are not looked at more closely [rad]."""


@dataclass(frozen=True)
class RegionSpec:
    """A region of poses of the tip in the target's frame.

    Attributes:
        name: How tables name it.
        box: Lower and upper bounds (2, 6) of x y z roll pitch yaw [m and rad].
        cone: Axis and half angle [rad] within which the tip's axis is of the target's, instead of
            bounds of the angles; None: the box's hold.
    """

    name: str
    box: Floats
    cone: tuple[str, float] | None = None

    @cached_property
    def region(self) -> TaskSpaceRegion:
        """The package's region, one for all calls."""
        if self.cone is None:
            return TaskSpaceRegion(*self.box)
        return TaskSpaceRegion.cone(*self.cone, lower=self.box[0, :3], upper=self.box[1, :3])

    def excess(self, tip_in_target: Floats) -> tuple[Floats, Floats]:
        """Return how far poses (N, 4, 4) are outside: distances [m] and angles [rad], (N,) each.

        The angle is that of the smallest rotation that leads into the region, or a larger one
        that is below 1e-5 as well.
        """
        lower, upper = self.box
        place = tip_in_target[:, :3, 3]
        distance = np.linalg.norm(place - np.clip(place, lower[:3], upper[:3]), axis=1)
        rotations = tip_in_target[:, :3, :3]
        if self.cone is not None:
            axis, half = _AXES.index(self.cone[0]), self.cone[1]
            between = _angle_of(rotations[:, :, axis], np.eye(3)[axis])
            return distance, np.maximum(between - half, 0.0)
        return distance, np.array([_outside(one, lower[3:], upper[3:]) for one in rotations])

    def beyond(self, tip_in_target: Floats, slack: float) -> Bools:
        """Return which poses (N, 4, 4) are beyond a bound of a coordinate that has room, (N,)."""
        (lower, upper), place = self.box, tip_in_target[:, :3, 3]
        room = (upper > lower)[:3]
        out = np.maximum(lower[:3] - place, place - upper[:3])[:, room]
        beyond = (out > slack).any(axis=1)
        if self.cone is not None or (upper > lower)[3:].all():
            beyond |= self.excess(tip_in_target)[1] > slack
        return beyond

    def draw(self, numbers: Floats, reach: float) -> Floats:
        """Return poses (N, 4, 4) of the region, tip in target.

        Args:
            numbers: (N, 6), uniform in the unit cube.
            reach: Stands for unbounded lengths [m].
        """
        lower, upper = self.box
        low = np.where(np.isfinite(lower), lower, -reach)
        high = np.where(np.isfinite(upper), upper, reach)
        poses = np.tile(np.eye(4), (len(numbers), 1, 1))
        poses[:, :3, 3] = low[:3] + numbers[:, :3] * (high - low)[:3]
        poses[:, :3, :3] = self._rotations(numbers[:, 3:])
        return poses

    def _rotations(self, numbers: Floats) -> Floats:
        if self.cone is not None:
            return _in_cone(numbers, *self.cone)
        lower, upper = self.box[:, 3:]
        if (upper - lower >= TURN).all():
            return _uniform(numbers)
        low = np.where(np.isfinite(lower), lower, -np.pi)
        high = np.where(np.isfinite(upper), upper, np.pi)
        # Extrinsic x y z is Rz(yaw) Ry(pitch) Rx(roll).
        return Rotation.from_euler("xyz", low + numbers * (high - low)).as_matrix()


def _outside(rotation: Floats, lower: Floats, upper: Floats) -> float:
    """Return the angle of the smallest rotation into bounds of roll, pitch and yaw [rad]."""
    roll, pitch, yaw = Rotation.from_matrix(rotation).as_euler("xyz")
    starts = [
        _clipped(np.array(angles), lower, upper)
        for angles in ((roll, pitch, yaw), (roll + np.pi, np.pi - pitch, yaw + np.pi))
    ]
    best = min(_angle_to(rotation, angles) for angles in starts)
    if best <= _NEARLY:
        return best
    # Clipping is not the nearest rotation, above all where pitch is near a quarter turn.
    for angles in starts:
        for shift in _SHIFTS:
            start = np.clip(angles + shift, lower, upper)
            found = minimize(
                lambda x: _angle_to(rotation, x) ** 2, start,
                bounds=list(zip(lower, upper, strict=True)),
            )  # fmt: skip
            best = min(best, _angle_to(rotation, found.x))
            if best <= _NEARLY:
                return best
    return best


def _clipped(angles: Floats, lower: Floats, upper: Floats) -> Floats:
    """Clip angles (3,), each at the turn that is nearest to its bounds."""
    turns = angles + TURN * np.arange(-4, 5)[:, None]
    clipped = np.clip(turns, lower, upper)
    best = np.abs(turns - clipped).argmin(axis=0)
    return clipped[best, np.arange(3)]


def _angle_to(rotation: Floats, angles: Floats) -> float:
    return float(rotation_angle(rotation, Rotation.from_euler("xyz", angles).as_matrix()))


def _angle_of(vectors: Floats, axis: Floats) -> Floats:
    """Return the angles (N,) between unit vectors (N, 3) and an axis, exact when small [rad]."""
    sine = np.linalg.norm(np.cross(vectors, axis), axis=1)
    return np.arctan2(sine, vectors @ axis)


def _in_cone(numbers: Floats, axis: str, half: float) -> Floats:
    """Return rotations that tilt an axis uniformly over a cap, and spin about it at random."""
    tilt = np.arccos(1.0 - numbers[:, 0] * (1.0 - np.cos(half)))
    towards, spin = TURN * numbers[:, 1], TURN * numbers[:, 2]
    k = _AXES.index(axis)
    across = np.zeros((len(numbers), 3))
    across[:, (k + 1) % 3], across[:, (k + 2) % 3] = np.cos(towards), np.sin(towards)
    about = np.zeros((len(numbers), 3))
    about[:, k] = spin
    tilted = Rotation.from_rotvec(tilt[:, None] * across)
    return (tilted * Rotation.from_rotvec(about)).as_matrix()


def _uniform(numbers: Floats) -> Floats:
    """Return uniform rotations (K. Shoemake, Uniform random rotations, 1992)."""
    first, second, third = numbers.T
    one, other = np.sqrt(1.0 - first), np.sqrt(first)
    a, b = TURN * second, TURN * third
    quaternions = [one * np.sin(a), one * np.cos(a), other * np.sin(b), other * np.cos(b)]
    return Rotation.from_quat(np.column_stack(quaternions)).as_matrix()


def _box(**half_widths: float) -> Floats:
    """Return bounds that are symmetric about the target [m or rad]; 0 where nothing is said."""
    names = ("x", "y", "z", "roll", "pitch", "yaw")
    upper = np.array([half_widths.get(name, 0.0) for name in names])
    return np.array([-upper, upper])


_HALF = np.pi
REGIONS = {
    spec.name: spec
    for spec in (
        RegionSpec("free x", _box(roll=_HALF)),
        RegionSpec("free y", _box(pitch=_HALF)),
        RegionSpec("free z", _box(yaw=_HALF)),
        RegionSpec("cone 20 deg", _box(), ("z", np.radians(20.0))),
        RegionSpec("position only", _box(roll=_HALF, pitch=_HALF, yaw=_HALF)),
        RegionSpec("plane", _box(x=np.inf, y=np.inf)),
        RegionSpec("band", _box(z=0.1)),
        RegionSpec("box", _box(x=0.02, y=0.02, z=0.02, roll=0.2, pitch=0.2, yaw=1.0)),
    )
}
"""A tool that may turn about an axis, tilt, or turn as it likes; slide over a plane, or along its
own axis; and some of everything."""


_STRICT = 1e-9
"""Beyond a bound by more than this is outside of it [m or rad]."""


@dataclass(frozen=True)
class RegionChecker(Checker):
    """Checks whether configurations put the tip into a region about a target."""

    spec: RegionSpec = field(kw_only=True)

    def errors(self, tip_in_base: Floats, positions: Floats) -> tuple[Floats, Floats]:
        """Measure how far tips are outside of the region about the target (4, 4), (N,) each."""
        return self.spec.excess(self._tip_in_target(tip_in_base, positions))

    def outside(self, target: Floats, positions: Floats) -> int:
        """Count tips beyond a bound that is not held, for which no tolerance is needed."""
        return int(self.spec.beyond(self._tip_in_target(target, positions), _STRICT).sum())

    def _tip_in_target(self, target: Floats, positions: Floats) -> Floats:
        return np.linalg.inv(target) @ self.oracle.forward(positions)
