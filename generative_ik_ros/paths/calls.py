"""The part of `IKSolver` that finds paths."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.request import SolveRequest, check_request
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.region import (
    PathRegionArgument,
    RegionArgument,
    check_path_regions,
)
from generative_ik_ros.search.approximate import check_goal
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck
    from generative_ik_ros.collision.scene import Scene
    from generative_ik_ros.paths.result import IKPath
    from generative_ik_ros.paths.solve import OnPath, PathOptions
    from generative_ik_ros.search.goal_stages import RegionsOfGoals


class PathCalls:
    """The call of a solver that finds paths.

    Attributes:
        chain: The chain or tree.
        distinct_distance: Solutions with no joint further apart are the same [rad or m].
        prefer: The part that is met exactly if a pose cannot be met: see `IKSolver`.
    """

    chain: KinematicChain
    distinct_distance: float
    prefer: str | None
    _several: bool
    _stages: Stages
    _within: "Callable[[RegionsOfGoals | None], Stages]"
    _check: "Callable[[Scene | None], SceneCheck | None]"
    solve: Callable[..., IKSolutions]
    exactly: "Callable[[], PathCalls]"

    def solve_path(
        self,
        targets: ArrayLike,
        seed_state: ArrayLike | None = None,
        max_step: ArrayLike | None = None,
        timeout: float | None = None,
        *,
        scene: "Scene | None" = None,
        end_state: ArrayLike | None = None,
        closed: bool = False,
        joint_weights: ArrayLike | None = None,
        objective: str | None = None,
        on_path: "OnPath | None" = None,
        region: PathRegionArgument | RegionArgument = None,
    ) -> "IKPath":
        """Find joint positions that follow poses along a path without a jump.

        It is complete for arms that are not redundant, up to the resolution of the path, and
        spreads along the self-motions of redundant ones (docs/paths.md). With `prefer`, that part
        of every pose is met exactly, and the other as nearly as possible.

        Args:
            targets: (B, 4, 4) poses, tip in base [m], close enough to each other for `max_step`;
                (B, K, 4, 4) for a tree with K tips.
            seed_state: (n,) where the arm is [rad or m], within one step of the first pose. None:
                the path begins at the solution of the first pose from which it leads furthest. It
                may be 0.05 rad or 0.005 m beyond a limit.
            max_step: Largest change of each joint from one pose to the next, (n,) or one number
                for all [rad or m]. None is 0.2 `chain.joint_units` (0.2 rad).
            timeout: Time limit for the whole call by a steady clock [s]; as in `solve`.
            scene: As in `solve`. With a collision model the straight motions from configuration
                to configuration, and from the seed state, are checked too, at points between
                which no joint moves further than 0.005 `chain.joint_units` (0.005 rad).
            end_state: (n,) the solution of the last pose to end at [rad or m]. None: any.
            closed: Whether the path, whose last pose is its first, ends as it begins.
            joint_weights: (n,) weights of the joints' motions, in their units, in the length.
            objective: "length" or "largest_step" to be made small, "clearance" or "limit_margin"
                of the worst pose to be made large, until nothing is left to try or time is up.
                None: soon after the first path is found, the best so far is returned.
            on_path: Called with each better complete path; by returning False it ends the search.
            region: Where the tip may be about the poses, instead of exactly there: one region for
                all, or a sequence of one for each pose, None for an exact one. Configurations lie
                inside the bounds, the tip's place there may change from pose to pose, and errors
                are distances from the region. For a tree one for each tip, as in `solve`.

        Raises:
            InvalidTargetError: A target is no pose.
            UnknownNameError: There is no such objective.
            InvalidArgumentError: Another argument is unusable; the message says why.
        """
        from generative_ik_ros.paths.solve import PathOptions  # takes time to import

        start = time.perf_counter()
        check_goal(self.prefer, region)
        request = check_request(
            self.chain, self._stages.whole, self.distinct_distance, targets, 1, seed_state, None,
            timeout, None, self._check(scene),
            region=cast(RegionArgument, region) if self._several else None)  # fmt: skip
        options = PathOptions(max_step, end_state, closed, joint_weights, objective, on_path)
        return self._follow(request, options, region, scene, start, seed_state)

    def _follow(
        self,
        request: SolveRequest,
        options: "PathOptions",
        region: PathRegionArgument | RegionArgument,
        scene: "Scene | None",
        start: float,
        seed_state: ArrayLike | None,
    ) -> "IKPath":
        """Answer a checked call of `solve_path` that began at `start` [s], from `seed_state`."""
        from generative_ik_ros.paths.solve import find_path

        targets, about, poses = request.targets, request.regions, self._stages
        if request.seed_states is not None:
            raise InvalidArgumentError("seed_state must be (n,), where the path begins")
        if self._several:
            # Those of closures are the same in all calls.
            targets, poses = targets[:, : len(self.chain.tip_links)], None
        else:
            about = check_path_regions(
                cast(PathRegionArgument, region), self.chain.tip_links[0], len(targets)
            )
            if about is not None:
                request = request._replace(targets=targets[:, None], regions=about)

        def solve(
            pose: int, count: int, random_seed: int, timeout: float | None, exactly: bool
        ) -> IKSolutions:
            around = None if about is None or exactly else about[pose % len(about)]
            return self.solve(
                targets[pose], count, timeout=timeout, random_seed=random_seed, scene=scene,
                region=around and around[: len(self.chain.tip_links)],
            )  # fmt: skip

        given = None if seed_state is None else number_array("seed_state", seed_state)
        found = find_path(self._within(about), request, options, solve, start, poses, given)
        if self.prefer is None or found.complete or found.timed_out:
            return found
        if options.end_state is not None and not self._is_exact(options.end_state, targets[-1]):
            return found
        # Beside a singularity minima of an error may end, and exact solutions go on.
        exact = self.exactly()._follow(request, options, region, scene, start, seed_state)
        return exact if exact.num_reached > found.num_reached else found

    def _is_exact(self, end_state: ArrayLike, target: Floats) -> bool:
        """Say whether a configuration (n,), inside the limits, reaches a target (4, 4)."""
        space = self._stages.whole
        end = number_array("end_state", end_state).clip(space.lower, space.upper)
        errors = self._stages.verifier.errors(end[None], target[None], np.zeros(1, np.int64))
        return bool((errors <= self._stages.refiner.tolerances).all())
