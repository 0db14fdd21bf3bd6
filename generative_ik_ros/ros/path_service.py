"""The service `~/get_ik_path`: joint trajectories through poses."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node

from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.ros import path_requests, requests
from generative_ik_ros.ros.collision_checks import CollisionChecks
from generative_ik_ros.ros.direct import DirectService, Handler
from generative_ik_ros.ros.frames import Frames
from generative_ik_ros.ros.log_lines import one_line
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.path_requests import PathOptions
from generative_ik_ros.ros.path_response import Followed, fill_response
from generative_ik_ros.ros.refusals import refusal
from generative_ik_ros.ros.scheduler import Scheduler
from generative_ik_ros.ros.solvers import RobotSolvers
from generative_ik_ros.srv import GetIKPath
from generative_ik_ros.trajectories.timing import time_path

SERVICE = "~/get_ik_path"


@dataclass(frozen=True)
class TimingShare:
    """Time of a request that is reserved for the trajectory."""

    timing: float = 30e-6
    """For each pose [s]."""
    timing_share: float = 0.25
    """At most, as a share of the timeout."""


RESERVED = TimingShare()


class PathService:
    """Finds paths and times them.

    Args:
        node: The node that offers the service.
        robot: Returns the robot's solvers; raises GenerativeIKError before there is one.
        settings: Returns the node's settings.
        collisions: Makes solvers check collisions.
        frames: Looks up the frame of the poses.
        scheduler: Decides which request is processed.
        answered: Called with every reply and the number of its poses.
        show: Called with every path.

    Attributes:
        service: The service.
    """

    def __init__(
        self,
        node: Node,
        robot: Callable[[], RobotSolvers],
        settings: Callable[[], Settings],
        collisions: CollisionChecks,
        frames: Frames,
        scheduler: Scheduler,
        answered: Callable[[GetIKPath.Response, int], None],
        show: Callable[[Followed], None],
    ):
        """Create the service."""
        self._node, self._robot, self._settings = node, robot, settings
        self._collisions, self._frames, self._scheduler = collisions, frames, scheduler
        self._answered, self._show = answered, show
        handler = Handler(
            self._serve,
            self._decline,
            timeout=lambda request: requests.client_timeout(request, settings()),
            size=path_requests.num_poses,
        )
        self.service = DirectService(node, GetIKPath, SERVICE, handler, scheduler)

    def _serve(
        self, request: GetIKPath.Request, response: GetIKPath.Response, deadline: float
    ) -> GetIKPath.Response:
        """Answer one request; errors become its status and message."""
        start = time.perf_counter()
        try:
            followed = self._follow(request, deadline)
            fill_response(response, followed, flat_reply=request.flat_reply)
            self._show(followed)
        except Exception as error:
            response = refusal(response, error, self._node.get_logger())
        response.message = one_line(response.message)
        response.total_time = time.perf_counter() - start
        self._answered(response, path_requests.num_poses(request))
        return response

    def _decline(
        self, request: GetIKPath.Request, response: GetIKPath.Response, why: str
    ) -> GetIKPath.Response:
        """Answer a request that the scheduler declined."""
        response.status, response.message = response.BUSY, why
        self._answered(response, path_requests.num_poses(request))
        return response

    def _follow(self, request: GetIKPath.Request, deadline: float) -> Followed:
        begun, robot, settings = time.perf_counter(), self._robot(), self._settings()
        options = path_requests.read_options(request, settings)
        chain = robot.chain(options.tip_link)
        search = path_requests.read_search(request, chain)
        largest = path_requests.read_limits(request, chain)
        targets = self._targets(request, options, robot, chain, settings)
        deadline = min(deadline, begun + options.timeout)
        solver, scene = self._solver(request, options, robot, chain, deadline)
        start = time.perf_counter()
        deadline -= min(RESERVED.timing * len(targets), RESERVED.timing_share * options.timeout)
        path = solver.solve_path(
            targets,
            timeout=requests.time_left(options.timeout, deadline),
            scene=scene,
            region=options.region,
            **search,
        )
        trajectory, fault = None, ""
        if path.num_reached:
            collides = partial(solver.collides, scene=scene) if options.avoid_collisions else None
            try:
                trajectory = time_path(
                    path,
                    chain,
                    velocity_limits=largest[0],
                    acceleration_limits=largest[1],
                    tip_speed=options.tip_speed,
                    collides=collides,
                )
            except GenerativeIKError as error:
                fault = str(error)
        spent = time.perf_counter() - start
        return Followed(chain, targets, path, trajectory, fault, spent)

    def _targets(
        self,
        request: GetIKPath.Request,
        options: PathOptions,
        robot: RobotSolvers,
        chain: KinematicChain,
        settings: Settings,
    ) -> NDArray[np.float64]:
        """Return the poses in the base link, (B, 4, 4) [m]."""
        header = request.targets.header
        frame_in_base = self._frames.frame_in_base(
            header.frame_id, header.stamp, robot.description, chain.base_link, settings.tf_timeout
        )
        targets = options.targets_in_frame
        return targets if frame_in_base is None else frame_in_base @ targets

    def _solver(
        self,
        request: GetIKPath.Request,
        options: PathOptions,
        robot: RobotSolvers,
        chain: KinematicChain,
        deadline: float,
    ) -> tuple[IKSolver, Scene | None]:
        """Return the solver of a request, and the scene that it checks among, if it does."""
        solver = robot.solver(
            options.tip_link,
            self._settings().sampler,
            options.position_tolerance,
            options.orientation_tolerance,
            deadline,
            self._scheduler.suspended,
        )
        if not options.avoid_collisions:
            return solver, None
        others = requests.read_other_joints(request, chain)
        return self._collisions.checked(robot, solver, others, deadline)
