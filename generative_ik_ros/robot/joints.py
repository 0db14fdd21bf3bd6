"""The moving joints of a robot between some of its links, as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros import _core
from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError, listed
from generative_ik_ros.robot.rigid import TURN

Ends = tuple[Ints, Floats]
"""The joints that carry some frames, -1 for the base, and the frames in them, (G, 4, 4) [m]."""
LONGEST_TRAVEL = 10.0
"""What lies beyond this much travel of a prismatic joint is room, not size of the robot [m]:
descriptions of mobile bases write 999999 for none."""


@dataclass(frozen=True, eq=False)
class MovingJoints:
    """Joints that move links against each other; immutable, arrays are read-only.

    There are n variables, the joints that a configuration q lists, and m >= 1 moving joints, each
    of which stands at `joint_multiplier[i] * q[joint_variable[i]] + joint_offset[i]`; m and n
    differ when joints mimic others. Subclasses say how the joints follow each other, and give
    `reach` and `size`.
    """

    names: tuple[str, ...]
    """The n variables' joint names: those that move a link themselves, in the order of the moving
    joints, then those that only a mimic joint follows, in the order of the first that does."""
    fixed: Mapping[str, float]
    """Joints that are no variables because they were told to stand, and where [rad or m]."""
    lower: Floats
    """(n,) lower limits [rad or m], -inf for continuous joints."""
    upper: Floats
    """(n,) upper limits [rad or m], inf for continuous joints."""
    continuous: Bools
    """(n,) whether the variable has no limits and a full turn changes nothing."""
    prismatic: Bools
    """(n,) whether the variable is in [m]."""
    velocity_limits: Floats
    """(n,) largest velocity by the robot description, of the variable and of the moving joints
    that mimic it [rad/s or m/s]; inf where none is given."""
    joint_origins: Floats
    """(m, 4, 4) each joint's frame in the moved frame of the joint before it, or in the base link
    where there is none, with the fixed joints between folded in [m]."""
    joint_axes: Floats
    """(m, 3) unit axis in the joint's frame, negated where it is passed from child to parent."""
    joint_prismatic: Bools
    """(m,) whether the joint is prismatic."""
    joint_variable: Ints
    """(m,) index of the variable that drives the joint."""
    joint_multiplier: Floats
    """(m,) factor of that variable."""
    joint_offset: Floats
    """(m,) position where that variable is zero [rad or m]."""

    @property
    def joint_names(self) -> list[str]:
        """Names of the n variables' joints, in the order of a configuration."""
        return list(self.names)

    @property
    def num_joints(self) -> int:
        """Number n of variables."""
        return len(self.names)

    @cached_property
    def reach(self) -> float:
        """No tip is ever further than this from the first joint that moves it [m]."""
        raise NotImplementedError

    @cached_property
    def size(self) -> float:
        """The reach with at most 10 m of each prismatic joint's travel [m].

        It is the scale of the robot, which limits of 999999 m, written for none, do not change.
        """
        raise NotImplementedError

    @cached_property
    def periodic(self) -> Bools:
        """Whether a full turn of a variable, limits aside, leaves all links where they are, (n,).

        It does not where a joint follows the variable by a factor that is not whole.
        """
        periodic = ~self.prismatic
        whole = ~self.joint_prismatic & (self.joint_multiplier == np.rint(self.joint_multiplier))
        periodic[self.joint_variable[~whole]] = False
        return periodic

    @cached_property
    def circular(self) -> Bools:
        """Whether a variable is periodic and has room for a full turn, (n,)."""
        # A range that is just short of a turn counts as one: URDFs round.
        return self.periodic & (self.upper - self.lower >= TURN - 1e-9)

    @cached_property
    def characteristic_length(self) -> float:
        """The length that counts as much as 1 rad: half the size, 1 where that is 0 [m]."""
        return self.size / 2.0 if 1e-9 < self.size < np.inf else 1.0

    @cached_property
    def core(self) -> _core.JointTree:
        """The joints as the native core takes them; copies and pickles make their own."""
        raise NotImplementedError

    def _core_tree(self, parents: Ints, tips: Ends, references: Ends) -> _core.JointTree:
        """Return `core`, from the joint before each joint, -1 for the base, and the goals."""
        return _core.JointTree(
            self.joint_origins, self.joint_axes, self.joint_prismatic, self.joint_variable,
            self.joint_multiplier, self.joint_offset, parents, self.step_units, *tips, *references,
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of copies and pickles what is the core's."""
        return {name: value for name, value in self.__dict__.items() if name != "core"}

    @cached_property
    def joint_units(self) -> Floats:
        """The change of each variable that counts as 1 rad, (n,) [rad or m]."""
        return np.where(self.prismatic, self.characteristic_length, 1.0)

    @cached_property
    def step_units(self) -> Floats:
        """The change of each variable that costs as much as 1 rad in a step of the solver, (n,).

        That of a prismatic joint is half its way, if that is longer than its unit: a base with a
        large room would take hundreds of steps through it otherwise.
        """
        half = np.where(self.prismatic, (self.upper - self.lower) / 2.0, 0.0)
        return np.maximum(self.joint_units, half)

    def joint_values(self, q: ArrayLike) -> dict[str, Floats]:
        """Return the positions of the variables and of the fixed joints by name, each (...).

        Args:
            q: (..., n) joint positions [rad or m].

        Raises:
            InvalidArgumentError: The last axis of `q` is not n long, or `q` is not numeric.
        """
        q = self._as_positions(q)
        values = {name: np.full(q.shape[:-1], value) for name, value in self.fixed.items()}
        return values | {name: q[..., i] for i, name in enumerate(self.names)}

    def check_positions(self, q: ArrayLike) -> Floats:
        """Return `q` as float64, (..., n) and finite.

        Raises:
            InvalidArgumentError: `q` is not numeric, its last axis is not n long, or a value is
                NaN or infinite; the message names the joints.
        """
        q = self._as_positions(q)
        if not np.isfinite(q).all():
            bad = [name for i, name in enumerate(self.names) if not np.isfinite(q[..., i]).all()]
            raise InvalidArgumentError(f"joint positions are not finite: {listed(bad)}")
        return q

    def _as_positions(self, q: ArrayLike) -> Floats:
        q = number_array("joint positions", q)
        if q.ndim == 0 or q.shape[-1] != self.num_joints:
            raise InvalidArgumentError(
                f"joint positions have shape {q.shape}; the last axis must be "
                f"{self.num_joints} long: {listed(self.names)}"
            )
        return q

    def _goals_and_jacobians(
        self, q: ArrayLike, *, in_reference: bool = False
    ) -> tuple[Floats, Floats]:
        """Return the tips of all goals in their references, (..., G, 4, 4), and their Jacobians.

        These are (..., G, 6, n), in the axes of the base or of the references.
        """
        q = self._as_positions(q)
        rows, goals = np.ascontiguousarray(q).reshape(-1, self.num_joints), self.core.num_goals
        poses = np.empty((*q.shape[:-1], goals, 4, 4))
        jacobians = np.empty((*q.shape[:-1], goals, 6, self.num_joints))
        self.core.goal_jacobians(
            rows, in_reference, poses.reshape(-1, *poses.shape[-3:]),
            jacobians.reshape(-1, *jacobians.shape[-3:]),
        )  # fmt: skip
        return poses, jacobians


def finite_limits(chain: MovingJoints) -> tuple[Floats, Floats]:
    """Return lower and upper limits (n,), one turn (or 2 m) about zero where there are none.

    A limit more than 1 km away counts as none, too.
    """
    far = 1000.0
    half_range = np.where(chain.prismatic, 1.0, np.pi)
    neutral = np.clip(0.0, chain.lower, chain.upper)
    lower = np.where(chain.lower >= neutral - far, chain.lower, neutral - half_range)
    upper = np.where(chain.upper <= neutral + far, chain.upper, neutral + half_range)
    return lower, upper
