"""IKSolver: inverse kinematics from target poses to verified solutions and paths."""

import math
from copy import copy
from time import perf_counter
from typing import TYPE_CHECKING, cast

from numpy.typing import ArrayLike

from generative_ik_ros.arguments import check_device, positive_number
from generative_ik_ros.collision_queries import CollisionQueries
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.paths.calls import PathCalls
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.request import SolveRequest, check_request
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import check_kinematics
from generative_ik_ros.robot.region import RegionArgument, TaskSpaceRegion, check_regions
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.registry import AUTO, make_sampler
from generative_ik_ros.search.approximate import check_goal, check_prefer, with_approximations
from generative_ik_ros.search.at_once import try_at_once, try_several_near
from generative_ik_ros.search.branches import Branches
from generative_ik_ros.search.density import LearnedDensity
from generative_ik_ros.search.device_calls import DeviceCalls
from generative_ik_ros.search.near import try_nearest_at_once
from generative_ik_ros.search.on_device import device_use
from generative_ik_ros.search.run import Tried, run
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions
from generative_ik_ros.space import SearchSpace
from generative_ik_ros.tracking.calls import TrackingCalls

if TYPE_CHECKING:
    from generative_ik_ros.collision.model import CollisionModel
    from generative_ik_ros.collision.scene import Scene
    from generative_ik_ros.robot.kinematic_tree import KinematicTree
    from generative_ik_ros.search.goal_stages import GoalStages, RegionsOfGoals
    from generative_ik_ros.select.own_score import OwnScore


class IKSolver(CollisionQueries, DeviceCalls, TrackingCalls, PathCalls):
    """Finds many distinct configurations that put a chain's tip on a target, each one verified.

    No result depends on earlier calls, and several threads may use one solver at once. Between
    calls it keeps only buffers and prepared arrays, see docs/architecture.md.

    Args:
        chain: The chain to solve, or a tree with several tips or loops.
        sampler: What proposes seeds: a name of `sampler_names()`, your own `Sampler`, or "auto":
            "closed_form" where there is one (docs/closed-form.md), "postures" for a floating base
            where collisions are checked, else quasi-random seeds, which no sampler beats in whole
            calls.
        device: "cuda" to use a GPU for all calls that it can serve and for learned models, "auto"
            for those calls that it serves faster, "cpu" for none (docs/gpu.md).
        position_tolerance: Largest accepted distance from the target [m]; inf leaves the
            position free.
        orientation_tolerance: Largest accepted angle from the target [rad]; inf leaves the
            orientation free.
        collision: The robot's geometry: every solution is then free of collisions of the robot
            with itself, and with the scene that is passed to `solve`.
        distinct_distance: Solutions with no joint further apart are duplicates [rad or m]; the
            one nearest to a seed state is kept.
        prefer: "position" or "orientation": the part that is met exactly if a pose has no
            solution. The error of the other part is then at a local minimum, and the status is
            APPROXIMATE (docs/few-joints.md); paths follow it as well. None: exact solutions only.

    Raises:
        UnknownNameError: There is no such sampler or device, or `prefer` is neither name.
        MissingDependencyError: The sampler or device needs a package that is not installed.
        InvalidArgumentError: A tolerance or the distance is not above 0, or both tolerances are
            infinite, or one with `prefer`, the device is not available, or the sampler was made
            for another chain.
        UnsupportedChainError: `prefer` is given for a tree.
    """

    def __init__(
        self,
        chain: "KinematicChain | KinematicTree",
        sampler: str | Sampler = AUTO,
        device: str = AUTO,
        position_tolerance: float = 1e-5,
        orientation_tolerance: float = 1e-5,
        *,
        distinct_distance: float = 0.05,
        collision: "CollisionModel | None" = None,
        prefer: str | None = None,
    ):
        """Check the settings and prepare what does not depend on the targets."""
        check_kinematics(chain)
        single = isinstance(chain, KinematicChain)
        # A tree has all that is used of a chain here.
        self.chain = cast(KinematicChain, chain)
        self.position_tolerance = positive_number("position_tolerance", position_tolerance)
        self.orientation_tolerance = positive_number(
            "orientation_tolerance", orientation_tolerance
        )
        self.distinct_distance = positive_number("distinct_distance", distinct_distance)
        self._tolerances = self.position_tolerance, self.orientation_tolerance
        if math.isinf(min(self._tolerances)):
            raise InvalidArgumentError(
                "position_tolerance and orientation_tolerance are both infinite: nothing to solve"
            )
        self.prefer = check_prefer(prefer, chain, self._tolerances)
        self.sampler = make_sampler(sampler, self.chain, check_device(device))
        use = device_use(device, self.sampler)
        self._goal_stages: GoalStages | None = None
        self._whole = SearchSpace.of(self.chain, self.distinct_distance)
        self._several = not (single or chain.is_chain)
        self._tips = 0 if single else chain.num_tips
        self._closes = bool(getattr(chain, "closures", ()))
        if self._several:
            self._stages = self._within(check_regions(None, chain.tip_links))
        else:
            one = chain if single else chain.chains[0]
            local = LevenbergMarquardt(one, *self._tolerances)
            exactly = Stages.of(self.sampler, local, self.distinct_distance, self._whole, use)
            self._stages = with_approximations(exactly, self.prefer)
        self.refiner = self._stages.refiner
        whole_pose = not math.isinf(max(self._tolerances))
        self._density, self._checker = LearnedDensity(self.sampler, whole_pose), None
        if collision is not None:
            self._check_by(collision)

    def solve(
        self,
        targets: ArrayLike,
        num_solutions: int = 100,
        seed_state: ArrayLike | None = None,
        consistency_limits: ArrayLike | None = None,
        timeout: float | None = None,
        random_seed: int | None = None,
        *,
        scene: "Scene | None" = None,
        order_by: "str | OwnScore | None" = None,
        joint_weights: ArrayLike | None = None,
        optimize: bool = False,
        region: RegionArgument = None,
        goal_set: bool = False,
    ) -> IKSolutions:
        """Find distinct configurations for each target.

        Without a seed state the most diverse come first: the smallest distance between the first k
        is at least half of the best possible. Finding none is a status, not an exception.

        Args:
            targets: (4, 4) or (B, 4, 4) poses, tip in base [m]; `pose_matrix` makes them. For a
                tree with K tips (K, 4, 4) or (B, K, 4, 4), each tip in its reference link.
            num_solutions: Number N of solutions wanted for each target.
            seed_state: (n,) configuration to start from and to order by [rad or m], clipped to the
                joint limits, with a GenerativeIKWarning from far outside; or (B, n), one a target.
                The first solution is the nearest if one is within 0.5 rad (docs/search.md).
            consistency_limits: (n,) largest distance of each joint from the seed state [rad or m].
            timeout: Time limit by a steady clock [s]. None: until the search finds nothing new.
            random_seed: The same gives the same solutions, unless time runs out; None is 0.
            scene: Obstacles that every solution must be clear of; needs `collision`.
            order_by: Which come first: "diverse", "diverse_tip", "nearest", "manipulability",
                "limit_margin", "clearance", "likelihood" or your function of (N, n) positions
                (docs/preferences.md). None: "nearest" with a seed state, else "diverse".
            joint_weights: (n,) weight of a rad or m of each joint in the distance of "nearest".
            optimize: Whether the best are moved to local optima, along self-motions or the region.
            region: Bounds of the tip about the target, over which solutions are spread; errors are
                distances from it. For a tree one for each tip, in order or by tip link.
            goal_set: Whether solutions may reach any of the targets (`IKSolutions.target_of`).

        Raises:
            InvalidTargetError: A target is no pose.
            InvalidArgumentError: Another argument is unusable; the message says why.
        """
        tried, start = None, perf_counter()
        if order_by is None and optimize is goal_set is False and not self._closes:
            tried = self._at_once(
                targets, num_solutions, seed_state, consistency_limits, timeout, random_seed,
                scene, joint_weights, region, start)  # fmt: skip
            if isinstance(tried, IKSolutions):
                return tried
        if isinstance(order_by, str):
            one_pose = region is None and not goal_set
            order_by = self._density.for_name(order_by, one_pose)
        request = check_request(
            self.chain, self._stages.whole, self.distinct_distance, targets, num_solutions,
            seed_state, consistency_limits, timeout, random_seed, self._check(scene),
            order_by, joint_weights, optimize, region, goal_set)  # fmt: skip
        return run(self._stages_for(request), request, start, tried)

    def _at_once(
        self,
        targets: ArrayLike,
        num_solutions: int,
        seed_state: ArrayLike | None,
        consistency_limits: ArrayLike | None,
        timeout: float | None,
        random_seed: int | None,
        scene: "Scene | None",
        joint_weights: ArrayLike | None,
        region: RegionArgument,
        start: float,
    ) -> IKSolutions | Tried:
        """Answer a call that has no other arguments before all of these are checked, if possible.

        Returns None otherwise, see `try_at_once`.
        """
        check = None if scene is self._checker is None else self._check(scene)
        stages = self._stages if region is None else self._within_region(region)
        if seed_state is not None:
            if random_seed is not None:
                return None
            found = try_nearest_at_once(
                stages, targets, num_solutions, seed_state, consistency_limits, timeout,
                joint_weights, check, start,
            )  # fmt: skip
            if found is None and consistency_limits is joint_weights is None:
                found = try_several_near(
                    stages, start, targets, num_solutions, seed_state, timeout, self._tips, check
                )
            return found
        if not (consistency_limits is joint_weights is None):
            return None
        found = try_at_once(
            stages, start, targets, num_solutions, random_seed, self._tips, timeout, check
        )
        if self.prefer is not None and isinstance(found, IKSolutions) and not found.counts[0]:
            return None  # what is nearest is looked for
        return found

    @property
    def closed_form(self) -> Branches | None:
        """The closed form that calls use; None if the chain has none, or for other samplers."""
        return self._stages.branches or self._stages.curves

    def searching(self) -> "IKSolver":
        """Return the same solver without the use of a closed form: it searches in all calls.

        Both have the same sampler and the same collision checks; nothing else is shared.
        """
        solver = copy(self)
        solver._stages = self._stages.without_branches
        solver._goal_stages = self._goal_stages and self._goal_stages.without_branches()
        return solver

    def exactly(self) -> "IKSolver":
        """Return the same solver for exact solutions only, without what `prefer` adds."""
        if self.prefer is None:
            return self
        solver = copy(self)
        solver.prefer, solver._stages, solver._goal_stages = None, self._stages.exactly, None
        return solver

    def _within_region(self, region: RegionArgument) -> Stages:
        """Return what a search within a region needs; kept for the next call with this region.

        Raises:
            InvalidArgumentError: This is no region, there is not one for each tip, or the solver
                has `prefer`.
        """
        goals = self._goal_stages
        if goals is not None and goals.last is not None and goals.last[0] is region:
            return goals.last[1]
        check_goal(self.prefer, region)
        stages = self._within(check_regions(region, self.chain.tip_links))
        # Others, as lists, may be changed.
        if self._goal_stages is not None and isinstance(region, TaskSpaceRegion):
            self._goal_stages.last = region, stages
        return stages

    def _within(self, regions: "RegionsOfGoals | None") -> Stages:
        """Return what a search for regions or several tips needs; None: for poses of one tip."""
        if regions is None:
            return self._stages
        if self._goal_stages is None:
            from generative_ik_ros.search.goal_stages import GoalStages

            poses = None if self._several else self._stages
            self._goal_stages = GoalStages(
                self.chain, self.sampler, self._tolerances, self.distinct_distance, self._whole,
                poses,
            )  # fmt: skip
        return self._goal_stages.within(regions)

    def _stages_for(self, request: SolveRequest) -> Stages:
        """Return what the search for a checked call of `solve` needs."""
        stages = self._within(request.regions)
        check_goal(self.prefer, request.regions, request.alternatives)
        return stages
