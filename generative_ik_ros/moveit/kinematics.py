"""MoveIt's KinematicsBase interface in Python, for one planning group."""

from collections.abc import Mapping, Sequence
from copy import copy
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import MAX_SOLUTIONS, listed_items, positive_number, whole_number
from generative_ik_ros.array_types import Floats
from generative_ik_ros.moveit.candidates import (
    Batch,
    Candidates,
    CostFunction,
    SolutionCallback,
    failure,
    first_accepted,
)
from generative_ik_ros.moveit.group import planning_group
from generative_ik_ros.moveit.poses import PoseLike
from generative_ik_ros.moveit.query import GroupQueries, check_function, check_timeout
from generative_ik_ros.moveit.results import ErrorCode, IKResult, ManyIKResult
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.joint_group import JointGroup
from generative_ik_ros.robot.region import RegionArgument
from generative_ik_ros.robot.srdf import SemanticDescription
from generative_ik_ros.robot.tool import with_tools
from generative_ik_ros.robot.tree import link_transforms
from generative_ik_ros.select.verify import GoalVerifier, Verifier

if TYPE_CHECKING:
    from generative_ik_ros.collision.model import CollisionModel
    from generative_ik_ros.collision.scene import Scene

DEFAULT_TIMEOUT = 1.0
"""Timeout of queries that have none [s], as in kinematics::KinematicsBase."""
NUM_CANDIDATES = 64
"""Number of solutions from which the nearest to the seed is chosen."""


class GenerativeIK:
    """Inverse and forward kinematics of one planning group, after kinematics::KinematicsBase.

    Vectors of joint positions have one entry for each of the G `joint_names`. No answer
    depends on earlier queries, and an instance may be used from several threads at once.

    Args:
        group: The planning group.
        tip_frame: Tip link; "": the group's own. Several links: poses are then one for each of
            them, in their order.
        tools: (4, 4) frames in tip links that poses are for instead, by tip link [m].
        sampler: Sampler that proposes the seeds; "auto": chosen for the chain.
        device: As in `IKSolver`: "auto", "cpu" or "cuda".
        position_tolerance: Largest accepted distance from a pose [m].
        orientation_tolerance: Largest accepted angle from a pose [rad].
        default_timeout: Timeout of queries that have none [s].

    Attributes:
        group: The planning group.
        chain: The chain from base to tip, in the solver's joint order, or the tree to several.
        default_timeout: As above [s].

    Raises:
        GenerativeIKError: The group does not move the tip, or a setting is invalid.
    """

    def __init__(
        self,
        group: JointGroup,
        tip_frame: str | Sequence[str] = "",
        *,
        tools: Mapping[str, ArrayLike] | None = None,
        sampler: str = "auto",
        device: str = "auto",
        position_tolerance: float = 1e-5,
        orientation_tolerance: float = 1e-5,
        default_timeout: float = DEFAULT_TIMEOUT,
    ):
        self.group = group
        # A tree has all that is used of a chain here.
        one = isinstance(tip_frame, str)
        robot = group.chain(tip_frame) if one else cast(KinematicChain, group.tree(tip_frame))
        self.chain = with_tools(robot, tools) if tools else robot
        self.default_timeout = positive_number("default_timeout", default_timeout)
        self._solver = IKSolver(
            self.chain,
            sampler,
            device,
            position_tolerance=position_tolerance,
            orientation_tolerance=orientation_tolerance,
        )
        self._verifier = (Verifier if one else GoalVerifier)(self.chain)
        self._queries = GroupQueries(group, self.chain)

    @classmethod
    def initialize(
        cls,
        robot_description: str | PathLike[str] | RobotDescription,
        group_name: str = "",
        base_frame: str = "",
        tip_frame: str = "",
        *,
        robot_description_semantic: str | SemanticDescription = "",
        sampler: str = "auto",
        device: str = "auto",
        position_tolerance: float = 1e-5,
        orientation_tolerance: float = 1e-5,
        default_timeout: float = DEFAULT_TIMEOUT,
    ) -> "GenerativeIK":
        """Create the solver of a planning group.

        Args:
            robot_description: URDF text, a path, or a parsed description.
            group_name: The group. Without a semantic description this is only a name, and the
                group consists of the joints between `base_frame` and `tip_frame`.
            base_frame: Link that poses are given in; "": the group's, or the robot's root.
            tip_frame: Tip link; "": the group's, or the robot's only one.
            robot_description_semantic: SRDF text, or a parsed description.
            sampler: As in the class.
            device: As in the class.
            position_tolerance: As in the class [m].
            orientation_tolerance: As in the class [rad].
            default_timeout: As in the class [s].

        Raises:
            RobotDescriptionError: A description is unusable, or the group does not move the tip.
            UnknownNameError: The group or a link does not exist.
            InvalidArgumentError: `base_frame` moves relative to the group's base link, or a
                setting is out of range.
        """
        group = planning_group(
            robot_description, group_name, base_frame, tip_frame, robot_description_semantic
        )
        return cls(
            group,
            tip_frame,
            sampler=sampler,
            device=device,
            position_tolerance=position_tolerance,
            orientation_tolerance=orientation_tolerance,
            default_timeout=default_timeout,
        )

    def with_collision(self, model: "CollisionModel") -> "GenerativeIK":
        """Return the same with a solver that checks collisions of a model.

        Raises:
            InvalidArgumentError: The model is of another robot.
        """
        checked = copy(self)
        checked._solver = self._solver.with_collision(model)
        return checked

    def prepare(self, scene: "Scene") -> None:
        """Prepare checks among the obstacles of a scene, which the first query does otherwise."""
        self._solver.prepare(scene)

    @property
    def group_name(self) -> str:
        """The group's name."""
        return self.group.name

    @property
    def base_frame(self) -> str:
        """Link that poses are given in."""
        return self.chain.base_link

    @property
    def tip_frame(self) -> str:
        """The tip link; the first of several."""
        return self.chain.tip_links[0]

    @property
    def tip_frames(self) -> list[str]:
        """The tip links: one, or several."""
        return list(self.chain.tip_links)

    @property
    def joint_names(self) -> list[str]:
        """The group's moving joints, including mimic joints, in the order of all vectors."""
        return list(self.group.joint_names)

    @property
    def link_names(self) -> list[str]:
        """The links from base to tip, or to several, without the base."""
        links: dict[str, None] = {}
        for tip in self.tip_frames:
            joints = path(self.group.description, self.base_frame, tip)
            links.update(dict.fromkeys(j.child if down else j.parent for j, down in joints))
        return list(links)

    def get_position_fk(self, link_names: Sequence[str], joint_values: ArrayLike) -> Floats:
        """Compute the poses of links; joints outside the group are at zero, or nearest to it.

        Args:
            link_names: L links of the robot.
            joint_values: (G,) positions of the group's joints [rad or m].

        Returns:
            (L, 4, 4) poses of the links in the base frame [m].

        Raises:
            UnknownNameError: The robot has no link of that name.
            InvalidArgumentError: The positions are not G finite numbers.
        """
        description = self.group.description
        link_names = listed_items("link_names", link_names, str, "names of links")
        description.check_links(*link_names)
        values = self._queries.vector("joint_values", joint_values)
        positions = dict(zip(self.group.joint_names, values, strict=True))
        frames = link_transforms(description, positions, self.base_frame)
        return np.array([frames[link][0] for link in link_names]).reshape(-1, 4, 4)

    def get_position_ik(
        self,
        pose: PoseLike | Sequence[PoseLike],
        seed_state: ArrayLike,
        *,
        return_approximate_solution: bool = False,
    ) -> IKResult:
        """Find the solution nearest to the seed state; a seed that solves the pose is returned.

        Args:
            pose: Tip in base frame; a list of as many poses as there are tips, if several.
            seed_state: (G,) seed state [rad or m].
            return_approximate_solution: Whether to return the closest configuration if the pose
                is out of reach.

        Raises:
            InvalidTargetError: The pose is invalid.
            InvalidArgumentError: The seed is not G finite numbers.
        """
        query = self._queries.query(pose, seed_state, self.default_timeout)
        candidates = Candidates(self._solver, self._verifier, query, (NUM_CANDIDATES,))
        to_group = partial(self._queries.to_group, seed_state=seed_state)
        return first_accepted(
            candidates, to_group, lambda _: True, None, return_approximate_solution
        )

    def search_position_ik(
        self,
        pose: PoseLike | Sequence[PoseLike],
        seed_state: ArrayLike | None,
        timeout: float = 0.0,
        consistency_limits: ArrayLike | None = None,
        solution_callback: SolutionCallback | None = None,
        *,
        cost_function: CostFunction | None = None,
        joint_bounds: Mapping[str, tuple[float, float]] | None = None,
        region: RegionArgument = None,
        return_approximate_solution: bool = False,
        scene: "Scene | None" = None,
    ) -> IKResult:
        """Search until a solution is accepted, all have been rejected, or the timeout passes.

        Args:
            pose: Tip in base frame; a list of as many poses as there are tips, if several.
            seed_state: (G,) seed state [rad or m]; None: none.
            timeout: Timeout by a steady clock [s]; 0: the default timeout.
            consistency_limits: (G,) largest distance of each joint from the seed [rad or m];
                None or empty: no limits.
            solution_callback: Accepts or rejects candidates; called on this thread, one candidate
                at a time, nearest to the seed first. None: the first is accepted.
            cost_function: Candidates are gathered, up to 1168 in half of the time, all are
                given a cost, and they are tested by increasing cost.
            joint_bounds: Lower and upper bounds by joint [rad or m], besides the joint limits.
            region: Where the tip may be about the pose, as `IKSolver.solve` takes it.
            return_approximate_solution: Whether to return the closest configuration, if the
                callback accepts it, when the pose is out of reach.
            scene: Obstacles that candidates must be clear of; needs `with_collision`.

        Raises:
            InvalidTargetError: The pose is invalid.
            InvalidArgumentError: Another argument is invalid; the message says which and why.
            UnknownNameError: `joint_bounds` names a joint that is not in the group.
        """
        timeout = check_timeout(timeout, self.default_timeout)
        check_function("solution_callback", solution_callback)
        check_function("cost_function", cost_function)
        query = self._queries.query(
            pose, seed_state, timeout, consistency_limits, joint_bounds, region
        )
        within = self._queries.within(joint_bounds)

        def accept(solution: Floats) -> bool:
            if not within(solution):
                return False
            if solution_callback is None:
                return True
            return solution_callback(pose, solution) == ErrorCode.SUCCESS

        candidates = Candidates(self._solver, self._verifier, query, scene=scene)
        to_group = partial(self._queries.to_group, seed_state=seed_state)
        cost = None if cost_function is None else partial(cost_function, pose)
        return first_accepted(candidates, to_group, accept, cost, return_approximate_solution)

    def get_position_ik_all(
        self,
        pose: PoseLike | Sequence[PoseLike],
        seed_state: ArrayLike | None = None,
        num_solutions: int = NUM_CANDIDATES,
        timeout: float = 0.0,
        consistency_limits: ArrayLike | None = None,
    ) -> ManyIKResult:
        """Find many distinct solutions, nearest to the seed first, as KinematicsBase's overload.

        Args:
            pose: Tip in base frame; a list of as many poses as there are tips, if several.
            seed_state: (G,) seed state [rad or m]; None: the most diverse solutions come first.
            num_solutions: Most solutions to return.
            timeout: Timeout by a steady clock [s]; 0: the default timeout.
            consistency_limits: (G,) largest distance of each joint from the seed [rad or m];
                None or empty: no limits.

        Raises:
            InvalidTargetError: The pose is invalid.
            InvalidArgumentError: Another argument is invalid; the message says which and why.
        """
        timeout = check_timeout(timeout, self.default_timeout)
        query = self._queries.query(pose, seed_state, timeout, consistency_limits)
        # At least as many as `get_position_ik` chooses from, so that both find the same nearest.
        count = whole_number("num_solutions", num_solutions, 1, MAX_SOLUTIONS)
        size = max(count, NUM_CANDIDATES)
        candidates = Candidates(self._solver, self._verifier, query, (size,))
        batches = list(candidates.batches())
        if not any(len(batch.positions) for batch in batches):
            no_positions, no_errors = np.empty((0, len(self.group.joint_names))), np.empty(0)
            return ManyIKResult(*failure(candidates, 0), no_positions, no_errors, no_errors)
        found = Batch(*map(np.concatenate, zip(*batches, strict=True)))
        found = found.at(slice(count))
        return ManyIKResult(
            ErrorCode.SUCCESS,
            "",
            self._queries.to_group(found.positions, seed_state),
            found.distance,
            found.angle,
        )
