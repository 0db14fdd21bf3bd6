"""Tracker: the next configuration towards a moving target, once a period."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros import _core
from generative_ik_ros.arguments import (
    finite_number,
    joint_array,
    motion_weights,
    number_array,
    positive_number,
)
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import (
    InvalidArgumentError,
    InvalidTargetError,
    UnsupportedChainError,
    check_names,
    shown,
)
from generative_ik_ros.refine.goal_refiner import GoalLevenbergMarquardt
from generative_ik_ros.robot.closures import LARGEST_TOLERANCE
from generative_ik_ros.robot.kinematic_tree import Kinematics, KinematicTree
from generative_ik_ros.robot.limits import beyond_limit, overshoot
from generative_ik_ros.robot.targets import check_targets
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions
from generative_ik_ros.tracking.step import TrackerStep, step_of
from generative_ik_ros.tracking.uncopied import Uncopied
from generative_ik_ros.trajectories.limits import acceleration_limits, velocity_limits

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck
    from generative_ik_ros.collision.scene import Scene

OTHER_BRANCH = 0.3
"""Another branch has a joint that is further away than this, in its unit [rad]."""

_OBJECTIVES = ("limit_margin", "manipulability")
"""What motions that the target leaves open can be for; 1 and 2 of the core."""

Check = Callable[["Scene | None"], "SceneCheck | None"]
"""Prepares a scene, as `CollisionQueries._check` does."""
Solve = Callable[[Floats, Floats, "Scene | None"], IKSolutions]
"""Finds solutions of a target, the nearest to a configuration (n,) first, among obstacles."""


class TrackerOptions(NamedTuple):
    """The options of `IKSolver.track`, as they were passed."""

    velocity_limits: ArrayLike | None
    acceleration_limits: ArrayLike | None
    joint_weights: ArrayLike | None
    posture: ArrayLike | None
    objective: str | None
    largest_jump: tuple[float, float] | None
    follow_jumps: bool
    clearance: float
    position_first: bool


class Tracker(Uncopied):
    """Follows a moving target; `IKSolver.track` makes one.

    From step to step every joint stays within its position and velocity limits, and its velocity
    changes by no more than the acceleration limit times the period, whatever the target does. A
    step is bounded work without allocation in the core, and the same targets give the same steps.
    A tracker is for one thread at a time.

    Attributes:
        chain: The chain or tree.
        period: Time between two steps [s].
        velocity_limits: (n,) [rad/s or m/s].
        acceleration_limits: (n,) [rad/s^2 or m/s^2].
        clearance: Distance that is kept from obstacles and between links, by spheres [m].
        position_first: Whether the position is met exactly where possible and the orientation only
            as nearly as possible: if the solver has `prefer="position"`, or the targets constrain
            more coordinates than there are joints. Statuses then consider only the position.
    """

    def __init__(
        self,
        chain: Kinematics,
        stages: Stages,
        seed_state: ArrayLike,
        period: float,
        options: TrackerOptions,
        scene: "Scene | None",
        check: Check,
        solve: Solve,
    ):
        """Check the arguments of `IKSolver.track`.

        What is followed, tips and the regions about targets, is in `stages`; `check` prepares
        scenes, and `solve` finds other branches.
        """
        self.chain, self._solve, self._check = chain, solve, check
        self.clearance = finite_number("clearance", options.clearance, "distance")
        self.period = positive_number("period", period, "number of seconds")
        self.velocity_limits = velocity_limits(chain, options.velocity_limits)
        self.acceleration_limits = acceleration_limits(
            chain, options.acceleration_limits, self.velocity_limits
        )
        weights = motion_weights(options.joint_weights, chain.names)
        refiner = stages.refiner
        assert isinstance(refiner, GoalLevenbergMarquardt)  # noqa: S101
        tree = chain if isinstance(chain, KinematicTree) else None
        self._closures = len(tree.closures) if tree else 0
        mobility = tree.mobility if tree else chain.num_joints
        self.position_first = options.position_first or stages.held > mobility
        joints = np.stack(
            [chain.lower, chain.upper, self.velocity_limits, self.acceleration_limits,
             chain.joint_units / weights]
        )  # fmt: skip
        try:
            self._core = _core.Tracker(
                chain.core, refiner.bounded, refiner.regions, refiner.options, joints, self.period,
                self._start(seed_state), _jump(options.largest_jump), bool(options.follow_jumps),
                self.position_first, _objective(options.objective), self._closures,
            )  # fmt: skip
        except ValueError as error:
            raise InvalidArgumentError(str(error)) from None
        self._num_tips = chain.core.num_goals - self._closures
        # The last targets, and behind them those of closures, which stay where they are.
        self._goals = np.tile(np.eye(4), (self._num_tips + self._closures, 1, 1))
        self._several, self._followed = tree is not None, False
        self._left: list[Floats] = []
        if options.posture is not None:
            self.set_posture(options.posture)
        self.set_scene(scene)

    def step(self, target: ArrayLike) -> TrackerStep:
        """Return the configuration to command next.

        Args:
            target: (4, 4) tip in base [m]; for a tree (K, 4, 4), each tip in its reference.

        Raises:
            InvalidTargetError: It is not a pose. Without a target, call `brake`.
        """
        self._goals[: self._num_tips] = self._checked(target)
        self._followed = True
        return step_of(self._core.step(self._goals))

    def brake(self) -> TrackerStep:
        """Return the configuration to command next while there is no target: all joints brake."""
        return step_of(self._core.brake())

    @property
    def last(self) -> TrackerStep:
        """The last step; before the first one, the state that the arm started in."""
        return step_of(self._core.last())

    def reset(self, seed_state: ArrayLike) -> None:
        """Begin anew, at rest.

        Args:
            seed_state: (n,) where the arm is [rad or m].

        Raises:
            InvalidArgumentError: It has another shape, or a joint is far beyond a limit.
        """
        self._core.reset(self._start(seed_state))
        self._followed = False
        self._left.clear()

    def set_posture(self, posture: ArrayLike) -> None:
        """Set the configuration to stay near, as far as the target leaves joints free.

        It may change from step to step: on an arm with seven joints, it drives the elbow while
        the tip stays.

        Args:
            posture: (n,) [rad or m].

        Raises:
            InvalidArgumentError: It has another shape, or is not finite.
        """
        self._core.set_posture(np.ascontiguousarray(self._configuration("posture", posture)))

    def set_scene(self, scene: "Scene | None") -> None:
        """Set the obstacles to keep away from, from the next step on.

        Preparing a scene takes longer than a step; `IKSolver.prepare` does it before, from another
        thread if need be.

        Args:
            scene: Obstacles; None: only the robot itself, if the solver has its geometry.

        Raises:
            InvalidArgumentError: The solver has no collision model, or an obstacle moves with the
                chain.
            UnknownNameError: The scene names a link that the robot does not have.
            RobotDescriptionError: There are obstacles, but nothing that moves has shapes.
        """
        check = self._check(scene)
        self._core.avoid(None if check is None else check.world, self.clearance)
        self._scene = scene

    def next_branch(self) -> bool:
        """Begin to move to another configuration for the last target.

        Following steps have the status `JUMPED` until the arm is there, whatever the tip does on
        the way. Called again and again, it goes through all branches that are found, the nearest
        first. It searches, which takes longer than a step.

        Returns:
            Whether there is another branch. Where there is none, nothing changes.

        Raises:
            UnsupportedChainError: The tree has closed loops.
        """
        if self._closures:
            raise UnsupportedChainError(
                "next_branch moves on a straight line in joint space, on which loops open"
            )
        if not self._followed:
            return False
        here = self.last.positions
        target = self._goals if self._several else self._goals[0]
        found = self._solve(target, here, self._scene).of(0)
        others = [q for q in found if self._apart(q, here)]
        if not others:
            return False
        self._left.append(here)
        new = [q for q in others if all(self._apart(q, left) for left in self._left)]
        if not new:
            self._left, new = [here], others
        self._core.move_to(np.ascontiguousarray(new[0]))
        return True

    def _apart(self, q: Floats, other: Floats) -> bool:
        return bool((np.abs(q - other) / self.chain.joint_units).max() > OTHER_BRANCH)

    def _checked(self, target: ArrayLike) -> Floats:
        """Return the targets of all tips (K, 4, 4)."""
        poses = np.ascontiguousarray(number_array("target", target))
        shape = (self._num_tips, 4, 4) if self._several else (4, 4)
        if poses.shape != shape:
            raise InvalidTargetError(f"target has shape {poses.shape}; it must be {shape}")
        poses = poses.reshape(-1, 4, 4)
        return poses if _core.are_poses(poses) else check_targets(poses)

    def _configuration(self, name: str, q: ArrayLike) -> Floats:
        row = joint_array(name, q, self.chain.names)
        try:
            return self.chain.check_positions(row)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(f"{name}: {error}") from None

    def _start(self, seed_state: ArrayLike) -> Floats:
        """Return a checked seed state (n,)."""
        chain, seed = self.chain, self._configuration("seed_state", seed_state)
        beyond = np.abs(seed - np.clip(seed, chain.lower, chain.upper))
        for i in np.flatnonzero(beyond > overshoot(chain.prismatic)):
            limits = float(seed[i]), float(chain.lower[i]), float(chain.upper[i])
            raise InvalidArgumentError(f"seed_state: {beyond_limit(chain.names[i], *limits)}")
        if self._closures and isinstance(chain, KinematicTree):
            gap = max(float(errors.max()) for errors in chain.closure_errors(seed))
            if gap > LARGEST_TOLERANCE:
                raise InvalidArgumentError(
                    f"seed_state: loops are open by {gap:.2g} m or rad; chain.close(seed_state, "
                    "hold=[joints that are measured]) closes them"
                )
        return np.ascontiguousarray(seed)


def _objective(name: str | None) -> int:
    """Return the core's number of an objective."""
    if name is None:
        return 0
    check_names("objective", [name], _OBJECTIVES)
    return 1 + _OBJECTIVES.index(name)


def _jump(largest: tuple[float, float] | None) -> Floats:
    """Return the largest change of a target that is no jump (2,) [m, rad]."""
    if largest is None:
        return np.full(2, math.inf)
    try:
        position, orientation = largest
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f"largest_jump must be two numbers, a distance [m] and an angle [rad], not "
            f"{shown(largest)}"
        ) from None
    named = (("distance", position), ("angle", orientation))
    return np.array([positive_number(f"largest_jump, {name}", one) for name, one in named])
