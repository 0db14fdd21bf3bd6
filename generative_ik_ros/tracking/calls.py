"""The part of `IKSolver` that makes trackers."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from generative_ik_ros.errors import InvalidArgumentError, UnsupportedChainError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.region import RegionArgument, check_regions
from generative_ik_ros.search.approximate import ORIENTATION, POSITION, check_goal
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck
    from generative_ik_ros.collision.scene import Scene
    from generative_ik_ros.search.goal_stages import RegionsOfGoals
    from generative_ik_ros.tracking.tracker import Tracker


def check_loops(objective: str | None, *, collisions: bool) -> None:
    """Refuse what would open closed loops, or is not defined for them."""
    if collisions:
        raise UnsupportedChainError(
            "trackers of closed loops avoid no collisions: use a solver without a collision model"
        )
    if objective == "manipulability":
        raise UnsupportedChainError(
            "trackers of closed loops take objective='limit_margin' or a posture, not "
            "'manipulability'"
        )


def check_preference(prefer: str | None) -> None:
    """Refuse a solver that prefers orientations."""
    if prefer == ORIENTATION:
        raise InvalidArgumentError(
            "trackers put positions first: use prefer='position', or region="
            "TaskSpaceRegion.orientation_only()"
        )


class TrackingCalls:
    """The call of a solver that makes a tracker."""

    chain: KinematicChain
    prefer: str | None
    _within: "Callable[[RegionsOfGoals | None], Stages]"
    _check: "Callable[[Scene | None], SceneCheck | None]"
    solve: Callable[..., IKSolutions]

    def track(
        self,
        seed_state: ArrayLike,
        period: float,
        *,
        velocity_limits: ArrayLike | None = None,
        acceleration_limits: ArrayLike | None = None,
        scene: "Scene | None" = None,
        region: RegionArgument = None,
        joint_weights: ArrayLike | None = None,
        posture: ArrayLike | None = None,
        objective: str | None = None,
        largest_jump: tuple[float, float] | None = None,
        follow_jumps: bool = False,
        clearance: float = 0.01,
    ) -> "Tracker":
        """Make a tracker, which follows a moving target within all limits (docs/tracking.md).

        With `prefer="position"` the position is followed exactly where it can be, and the
        orientation as nearly as possible.

        Args:
            seed_state: (n,) where the arm is, at rest [rad or m].
            period: Time between two steps [s].
            velocity_limits: (n,) or one number [rad/s or m/s]. None: the description's.
            acceleration_limits: Likewise [rad/s^2 or m/s^2]. None: each velocity limit in 1 s.
            scene: Obstacles to keep away from, as from the robot itself; needs `collision`.
            region: Bounds of the tip about the target, in which it may be anywhere.
            joint_weights: (n,) weights of the squared motion of each joint, in its unit.
            posture: (n,) configuration to stay near, as far as the target leaves joints free.
            objective: What to increase with that freedom: "limit_margin", the least distance of a
                joint from its limits, or "manipulability"; None: neither.
            largest_jump: Distance [m] and angle [rad] by which targets may change from one step
                to the next; None: any. After a larger jump the arm stops until the target is back.
            follow_jumps: Whether the arm goes to a target that jumped instead of stopping.
            clearance: Distance that is kept from obstacles and between links [m].

        Raises:
            UnknownNameError: There is no such objective.
            UnsupportedChainError: Loops are to avoid collisions or to maximize manipulability.
            InvalidArgumentError: Another argument is unusable; the message says why.
        """
        from generative_ik_ros.tracking.tracker import Tracker, TrackerOptions

        if getattr(self.chain, "closures", ()):
            check_loops(objective, collisions=self._check(scene) is not None)
        check_preference(self.prefer)
        check_goal(self.prefer, region)
        stages = self._within(check_regions(region, self.chain.tip_links))
        options = TrackerOptions(
            velocity_limits, acceleration_limits, joint_weights, posture, objective,
            largest_jump, follow_jumps, clearance, self.prefer == POSITION,
        )  # fmt: skip

        def solve(target: ArrayLike, seed: ArrayLike, around: "Scene | None") -> IKSolutions:
            return self.solve(target, 32, seed, region=region, scene=around)

        around = scene, self._check, solve
        return Tracker(self.chain, stages, seed_state, period, options, *around)
