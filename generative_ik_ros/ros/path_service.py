"""The service `~/get_ik_path`: joint trajectories through poses."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from builtin_interfaces.msg import Duration
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from generative_ik_ros import solutions
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.paths.result import IKPath
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.ros import path_requests, requests
from generative_ik_ros.ros.collision_checks import CollisionChecks
from generative_ik_ros.ros.conversions import WHAT_TO_FREE, flat
from generative_ik_ros.ros.direct import DirectService, Handler
from generative_ik_ros.ros.frames import Frames
from generative_ik_ros.ros.refusals import fill_or_refuse
from generative_ik_ros.ros.scheduler import Scheduler
from generative_ik_ros.ros.served import Served
from generative_ik_ros.srv import GetIKPath
from generative_ik_ros.trajectories.result import Trajectory
from generative_ik_ros.trajectories.timing import time_path

SERVICE = "~/get_ik_path"
_NONE = array("d")


class Followed(NamedTuple):
    """A chain, the poses to follow in the base link (B, 4, 4) [m], and what was found.

    `trajectory` is None if no pose is reached, or if there is none close enough to the path; then
    `fault` says why.
    """

    chain: KinematicChain
    targets_in_base: Floats
    path: IKPath
    trajectory: Trajectory | None
    fault: str
    solve_time: float


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
        answered: Called with every reply and the number of its poses.
        show: Called with every path.
    """

    def __init__(
        self,
        node: Node,
        served: Served,
        collisions: CollisionChecks,
        frames: Frames,
        scheduler: Scheduler,
        answered: Callable[[GetIKPath.Response, int], None],
        show: Callable[[Followed], None],
    ):
        self._node, self._served = node, served
        self._collisions, self._frames = collisions, frames
        self._answered, self._show = answered, show
        handler = Handler(
            self._serve,
            self._decline,
            timeout=lambda request: requests.client_timeout(request, served.settings),
            size=path_requests.num_poses,
        )
        self.service = DirectService(node, GetIKPath, SERVICE, handler, scheduler)

    def _serve(
        self, request: GetIKPath.Request, response: GetIKPath.Response, deadline: float
    ) -> GetIKPath.Response:
        """Answer one request; errors become its status and message."""

        def fill() -> None:
            followed = self._follow(request, deadline)
            fill_response(response, followed, flat_reply=request.flat_reply)
            self._show(followed)

        response = fill_or_refuse(response, fill, self._node.get_logger())
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
        begun, (robot, settings) = time.perf_counter(), self._served.current()
        options = path_requests.read_options(request, settings)
        chain = robot.chain(options.tips)
        search = path_requests.read_search(request, chain)
        largest = path_requests.read_limits(request, chain)
        targets = self._frames.in_base(
            request.targets.header, options.targets_in_frame, chain, settings.tf_timeout
        )
        deadline = min(deadline, begun + options.timeout)
        others = requests.read_other_joints(request, chain)
        solver, scene = self._collisions.solver(robot, options, others, deadline)
        start = time.perf_counter()
        deadline -= min(RESERVED.timing * len(targets), RESERVED.timing_share * options.timeout)
        path = solver.solve_path(
            targets,
            timeout=options.time_left(deadline),
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


def fill_response(response: GetIKPath.Response, followed: Followed, *, flat_reply: bool) -> None:
    """Write a path and its trajectory into a reply, as a message or as flat arrays."""
    path, trajectory = followed.path, followed.trajectory
    reached = path.num_reached
    response.status, response.message = summary(followed)
    response.base_link, response.tip_link = followed.chain.base_link, followed.chain.tip_link
    if trajectory is not None:
        if flat_reply:
            response.joint_names = list(trajectory.joint_names)
            response.times = flat(trajectory.times, "d")
            response.positions = flat(trajectory.positions, "d")
            response.velocities = flat(trajectory.velocities, "d")
            response.accelerations = flat(trajectory.accelerations, "d")
        else:
            response.trajectory = trajectory_message(trajectory)
            response.trajectory.header.frame_id = followed.chain.base_link
        response.pose_points = flat(trajectory.pose_points, "I")
        response.deviation = trajectory.deviation
    response.num_reached, response.fraction = reached, reached / len(path.positions)
    response.reason = _reason(path)
    response.position_errors = flat(path.position_error[:reached], "d")
    response.orientation_errors = flat(path.orientation_error[:reached], "d")
    response.length, response.largest_step = path.length, path.largest_step
    response.clearance = path.clearance
    response.solve_time = followed.solve_time


def summary(followed: Followed) -> tuple[int, str]:
    """Return the status of a request and a line that explains it."""
    path, status = followed.path, GetIKPath.Response
    if followed.fault:
        return status.NO_SOLUTION, followed.fault
    if path.complete:
        return status.SOLVED, ""
    if path.num_reached:
        share = f"{path.num_reached} of {len(path.positions)} poses reached"
        return status.PARTIAL, f"{share}: {_reason(path)}"
    return status.TIMED_OUT if path.timed_out else status.NO_SOLUTION, f"no path: {_reason(path)}"


def _reason(path: IKPath) -> str:
    """Return why a path ends, with advice as requests take it."""
    return path.reason.replace(solutions.WHAT_TO_FREE, WHAT_TO_FREE)


def trajectory_message(trajectory: Trajectory) -> JointTrajectory:
    """Return a trajectory as the message that controllers take."""
    num_joints = len(trajectory.joint_names)
    positions, velocities, accelerations = (
        flat(values, "d")
        for values in (trajectory.positions, trajectory.velocities, trajectory.accelerations)
    )
    points = []
    times = (trajectory.times * 1e9).round().astype(int).tolist()
    for number, when in enumerate(times):
        row = slice(number * num_joints, (number + 1) * num_joints)
        # Without the constructor, which fills all fields with empty ones first: half the time.
        point = JointTrajectoryPoint.__new__(JointTrajectoryPoint)
        point._check_fields = False
        point.positions, point.velocities = positions[row], velocities[row]
        point.accelerations, point.effort = accelerations[row], _NONE
        point.time_from_start = Duration(sec=when // 10**9, nanosec=when % 10**9)
        points.append(point)
    return JointTrajectory(joint_names=list(trajectory.joint_names), points=points)
