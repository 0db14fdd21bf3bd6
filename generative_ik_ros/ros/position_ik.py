"""The service `~/get_position_ik` (moveit_msgs/GetPositionIK)."""

# Generated messages have no stubs, and moveit_msgs need not be there.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false

import time
import traceback
from collections.abc import Callable
from functools import lru_cache, partial

from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from std_msgs.msg import Header

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.errors import (
    GenerativeIKError,
    InvalidTargetError,
    RobotDescriptionError,
    UnknownNameError,
)
from generative_ik_ros.moveit import ErrorCode, GenerativeIK, IKResult
from generative_ik_ros.moveit.poses import PoseLike
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.tree import link_transforms
from generative_ik_ros.ros import position_ik_request as requests
from generative_ik_ros.ros.collision_checks import CollisionChecks
from generative_ik_ros.ros.collision_models import NoCollisionModelError
from generative_ik_ros.ros.direct import DirectService, Handler
from generative_ik_ros.ros.frames import Frames, UnknownFrameError
from generative_ik_ros.ros.log_lines import error_line, one_line
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.position_ik_groups import GroupSolvers, group_settings
from generative_ik_ros.ros.position_ik_request import Message, RefusedRequest
from generative_ik_ros.ros.position_ik_validity import StateValidity
from generative_ik_ros.ros.scheduler import Scheduler
from generative_ik_ros.ros.semantic import Semantic
from generative_ik_ros.ros.served import Served
from generative_ik_ros.ros.solvers import PreparingError, RobotSolvers

try:
    from moveit_msgs.srv import GetPositionIK, GetStateValidity
except ImportError:  # not available from the Python package index
    GetPositionIK = GetStateValidity = None

SERVICE = "~/get_position_ik"


class PositionIK:
    """Offers `~/get_position_ik` on a node if moveit_msgs is installed.

    Args:
        answered: Called with the error code, message and time [s] of every reply.
        out_of_reach: Says of targets (1, 4, 4) and tolerances that a map proves them out of
            reach; "" if not.

    Attributes:
        service: The service; None if moveit_msgs is not installed.
    """

    def __init__(
        self,
        node: Node,
        served: Served,
        semantic: Semantic,
        collisions: CollisionChecks,
        frames: Frames,
        scheduler: Scheduler,
        answered: Callable[[int, str, float], None],
        out_of_reach: Callable[[KinematicChain, Floats, tuple[float, float]], str],
    ):
        self._node, self._served, self._frames = node, served, frames
        self._semantic, self._collisions = semantic, collisions
        self._scheduler, self._answered = scheduler, answered
        self._out_of_reach = out_of_reach
        # The current groups, and those that are being prepared.
        self._cached = lru_cache(2)(GroupSolvers)
        self.service: DirectService | None = None
        if GetPositionIK is None:
            node.get_logger().info(f"moveit_msgs is not installed: {SERVICE} is not offered")
            return
        self._validity = StateValidity(node)
        handler = Handler(self._serve, self._decline, self._timeout)
        self.service = DirectService(node, GetPositionIK, SERVICE, handler, scheduler)

    def close(self) -> None:
        """Destroy what the node does not own; call it before the node is destroyed."""
        if self.service is not None:
            self._validity.close()

    def _timeout(self, request: Message) -> float:
        settings, given = self._served.settings, request.ik_request.timeout
        timeout = given.sec + 1e-9 * given.nanosec
        return min(timeout, settings.max_timeout) if timeout > 0.0 else settings.timeout

    def _serve(self, request: Message, response: Message, deadline: float) -> Message:
        """Answer one request; errors become its error code and message."""
        start = time.perf_counter()
        try:
            code, message = self._answer(request.ik_request, response, deadline)
        except RefusedRequest as error:
            code, message = error.code, str(error)
        except UnknownFrameError as error:
            code, message = ErrorCode.FRAME_TRANSFORM_FAILURE, str(error)
        except InvalidTargetError as error:
            code, message = ErrorCode.INVALID_GOAL_CONSTRAINTS, str(error)
        except Exception as error:
            if not isinstance(error, GenerativeIKError):
                self._node.get_logger().error(f"request failed:\n{traceback.format_exc()}")
            code, message = ErrorCode.FAILURE, error_line(error)
        return self._finish(response, code, one_line(message), time.perf_counter() - start)

    def _decline(self, _: Message, response: Message, why: str) -> Message:
        """Answer a request that the scheduler declined."""
        return self._finish(response, ErrorCode.TIMED_OUT, why, 0.0)

    def _finish(
        self, response: Message, code: ErrorCode, message: str, total_time: float
    ) -> Message:
        response.error_code.val = int(code)
        # moveit_msgs before 2.3 has no message and source.
        if hasattr(response.error_code, "message"):
            response.error_code.message = message
            response.error_code.source = self._node.get_name()
        self._answered(int(code), message, total_time)
        return response

    def _answer(
        self, request: Message, response: Message, deadline: float
    ) -> tuple[ErrorCode, str]:
        tips, poses = requests.read_tips_and_poses(request)
        robot, settings = self._served.current()
        groups = self._groups(robot.description, settings)
        ik = _solver(groups, request.group_name, tips)
        state = requests.read_state(request)
        seed = requests.seed_state(ik.group, state)
        bounds = requests.read_joint_bounds(request, ik.group, state)
        look_up = partial(self._frame_in_base, ik, state, settings, deadline)
        wanted, conditions = requests.split(request, ik.tip_frames, poses)
        goals = requests.read_goals(wanted, ik, look_up)
        if goals:
            tools = {link: goal.tool for link, goal in goals.items()}
            ik = groups.solver(request.group_name, tips, tools)
        targets = requests.targets_of(ik, poses, goals, look_up)
        region = {link: goal.region for link, goal in goals.items()} or None
        if region is None and isinstance(tips, str):
            tolerances = settings.position_tolerance, settings.orientation_tolerance
            if proved := self._out_of_reach(ik.chain, targets, tolerances):
                return ErrorCode.NO_IK_SOLUTION, proved
        valid = self._validity_check(request, conditions, groups, ik, look_up, state, deadline)
        scene = None
        if request.avoid_collisions or settings.avoid_collisions:
            ik, scene = self._checked(request, robot, ik, state, deadline)
        result = ik.search_position_ik(
            targets[0] if isinstance(tips, str) else list(targets),
            seed,
            max(deadline - time.perf_counter(), 1e-6),
            solution_callback=valid,
            joint_bounds=bounds,
            region=region,
            scene=scene,
        )
        _fill(response, ik, result, poses[0])
        return result.error_code, result.message

    def _groups(self, robot: RobotDescription, settings: Settings) -> GroupSolvers:
        """Return the solvers for a robot, its groups and settings."""
        return self._cached(robot, self._semantic.text(settings), group_settings(settings))

    def _frame_in_base(
        self,
        ik: GenerativeIK,
        state: dict[str, float],
        settings: Settings,
        deadline: float,
        header: Header,
    ) -> Floats | None:
        """Return a header's frame in the base, from the description, the robot state or TF."""
        robot, base = ik.group.description, ik.base_frame
        frame = header.frame_id.removeprefix("/")
        if frame in robot.links:
            joints = [joint for joint, _ in path(robot, base, frame) if joint.type != "fixed"]
            if joints and all(robot.driver(one, state)[0].name in state for one in joints):
                known = {name: state[name] for name in state if name in robot.joint_named}
                return link_transforms(robot, known, base)[frame][0]
        timeout = min(settings.tf_timeout, max(deadline - time.perf_counter(), 0.0))
        return self._frames.frame_in_base(frame, header.stamp, robot, base, timeout)

    def _checked(
        self,
        request: Message,
        robot: RobotSolvers,
        ik: GenerativeIK,
        state: dict[str, float],
        deadline: float,
    ) -> tuple[GenerativeIK, Scene | None]:
        """Return a solver that checks collisions itself, and the scene for it, if that can be.

        Where it cannot, MoveIt's check has to do; a node whose parameter asks for checks of its
        own insists on them.

        Raises:
            GenerativeIKError: The node's parameter asks for checks, and they cannot be made.
        """
        ready, name = self._validity.ready(), self._validity.service_name
        insists = self._served.settings.avoid_collisions
        try:
            ik, scene = self._collisions.checked(
                robot, ik, state, deadline, wait=insists or not ready
            )
        except NoCollisionModelError as error:
            if insists:
                raise
            if not ready:
                self._collisions.log.warn(
                    f"a request set avoid_collisions, but {name} is not available, and {error}: "
                    "solutions are not checked for collisions"
                )
            return ik, None
        except PreparingError:
            if insists or not ready:
                raise
            return ik, None
        if not ready and request.avoid_collisions:
            self._collisions.log.info(
                f"{name} is not available: avoid_collisions is checked by this node alone"
            )
        return ik, scene

    def _validity_check(
        self,
        request: Message,
        conditions: Message,
        groups: GroupSolvers,
        ik: GenerativeIK,
        look_up: requests.FrameInBase,
        state: dict[str, float],
        deadline: float,
    ) -> Callable[[PoseLike, Floats], bool] | None:
        """Return a callback that accepts or rejects candidates; None if all are acceptable.

        Raises:
            RefusedRequest: The request has constraints that cannot be checked.
        """
        spatial = conditions.position_constraints or conditions.orientation_constraints
        if not (spatial or conditions.visibility_constraints or request.avoid_collisions):
            return None
        validity = self._validity
        if not validity.ready():
            if not (spatial or conditions.visibility_constraints):
                return None
            settings = self._served.settings
            slack = settings.position_tolerance, settings.orientation_tolerance
            name = validity.service_name
            return requests.own_check(conditions, ik, look_up, state, slack, name)
        query = GetStateValidity.Request(constraints=conditions)
        query.group_name = request.group_name if groups.in_srdf(request.group_name) else ""
        given = request.robot_state
        query.robot_state.attached_collision_objects = given.attached_collision_objects
        query.robot_state.multi_dof_joint_state = given.multi_dof_joint_state
        # Joints and attached objects that the request does not mention are those of the scene.
        query.robot_state.is_diff = True
        joint_state = query.robot_state.joint_state
        others = dict(zip(given.joint_state.name, given.joint_state.position, strict=True))

        def is_valid(_: PoseLike, solution: Floats) -> bool:
            whole = {**others, **dict(zip(ik.group.joint_names, solution.tolist(), strict=True))}
            joint_state.name, joint_state.position = list(whole), list(whole.values())
            with self._scheduler.suspended():
                reply = validity.check(query, deadline)
            if reply is None:
                return False
            if request.avoid_collisions:
                return reply.valid
            return all(one.result for one in reply.constraint_result)

        return is_valid

    def prepare(self, robot: RobotDescription, settings: Settings) -> None:
        """Build the solvers of all groups of a robot ahead of their first requests."""
        if self.service is None:
            return
        try:
            groups = self._groups(robot, settings)
        except GenerativeIKError as error:
            self._node.get_logger().error(f"no planning groups: {error}")
            return
        for name in groups.names:
            try:
                groups.solver(name, "")
            except GenerativeIKError:
                # Such as a group with several tips, or with joints that the robot does not have.
                continue


def _solver(groups: GroupSolvers, name: str, tips: str | tuple[str, ...]) -> GenerativeIK:
    named = [tips] if isinstance(tips, str) else list(tips)
    try:
        return groups.solver(name, tips)
    except UnknownNameError as error:
        code = (
            ErrorCode.INVALID_LINK_NAME
            if error.kind == "link" and error.name in named
            else ErrorCode.INVALID_GROUP_NAME
        )
        raise RefusedRequest(code, str(error)) from error
    except RobotDescriptionError as error:
        code = ErrorCode.INVALID_LINK_NAME if any(named) else ErrorCode.INVALID_GROUP_NAME
        raise RefusedRequest(code, str(error)) from error


def _fill(response: Message, ik: GenerativeIK, result: IKResult, pose: PoseStamped) -> None:
    """Write the positions of all joints of the group, in order, if there is a solution."""
    if result.solution is None:
        return
    state = response.solution.joint_state
    state.header.frame_id, state.header.stamp = ik.base_frame, pose.header.stamp
    state.name, state.position = ik.joint_names, result.solution.tolist()
    # The joints outside the group are not part of the solution.
    response.solution.is_diff = True
