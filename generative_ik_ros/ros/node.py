"""The ROS 2 node: serves inverse kinematics of the robot in `robot_description`."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

import math
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace

from geometry_msgs.msg import PoseArray, PoseStamped
from rcl_interfaces.msg import SetParametersResult
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.parameter import Parameter
from std_msgs.msg import String

from generative_ik_ros.drawing.start import bent_configuration
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.ros import conversions, process, requests, transport
from generative_ik_ros.ros.collision_checks import CollisionChecks
from generative_ik_ros.ros.declaration import ParameterNode, declare
from generative_ik_ros.ros.diagnostics import Diagnostics, NodeState
from generative_ik_ros.ros.direct import DirectService, Handler, Threaded
from generative_ik_ros.ros.frames import Frames
from generative_ik_ros.ros.interactive_target import InteractiveTargets
from generative_ik_ros.ros.log_lines import error_line
from generative_ik_ros.ros.path_markers import PathMarkers
from generative_ik_ros.ros.path_service import PathService
from generative_ik_ros.ros.position_ik import PositionIK
from generative_ik_ros.ros.reachability import Reachability
from generative_ik_ros.ros.refusals import fill_or_refuse
from generative_ik_ros.ros.results import Results, Solved
from generative_ik_ros.ros.scene_markers import SceneMarkers, SceneShown
from generative_ik_ros.ros.scheduler import Scheduler
from generative_ik_ros.ros.semantic import Semantic
from generative_ik_ros.ros.served import PATIENCE, Served
from generative_ik_ros.ros.servo import Servo
from generative_ik_ros.ros.solvers import RobotSolvers
from generative_ik_ros.ros.topics import LATCHED
from generative_ik_ros.srv import GetIKSolutions


class GenerativeIKNode(ParameterNode):
    """Serves inverse kinematics of the robot in `robot_description`.

    Services: `~/get_ik_solutions`, `~/get_ik_path` and, if moveit_msgs is installed,
    `~/get_position_ik`. Subscribed topics: `robot_description`, `robot_description_semantic`,
    `~/target_pose`, `monitored_planning_scene` if moveit_msgs is installed, a cloud of points by
    parameter, and those of `Servo`, if it is switched on. Published topics: `~/solutions`,
    `/diagnostics`, and markers of solutions, paths and the scene. Interactive markers under
    `~/target` set targets as `~/target_pose` does. Parameters: see `parameters.Settings`.

    Args:
        name: Name of the node.
        **options: Passed on to `rclpy.node.Node`.

    Attributes:
        direct_services: Services, and the servo, that are started on threads of their own.

    Raises:
        GenerativeIKError: The initial value of a parameter is invalid.
        OtherTransportsError: See `transport`.
    """

    def __init__(self, name: str = "generative_ik", **options: object):
        """Create the interfaces; begin to prepare the robot if a parameter describes it."""
        self._owned: list[Served | PositionIK] = []
        super().__init__(name, **options)  # pyright: ignore[reportArgumentType]
        settings = declare(self)
        try:
            transport.check(settings.fastdds_transports)
        except transport.OtherTransportsError:
            super().destroy_node()
            raise
        self._served = Served(
            self,
            settings,
            lambda robot, new: self._position_ik.prepare(robot.description, new),
            lambda robot, new: self._collisions.load(robot, new),
            self._show,
        )
        self._owned.append(self._served)
        handles = InteractiveTargets(
            self, "~/target", self._drag, lambda: self._results.show_again()
        )
        self._handles = handles
        self._results = Results(self, self._served, handles.follow)

        scheduler = Scheduler()
        self._frames = Frames(self, scheduler)
        self._semantic = Semantic(self, self._served, self._take_semantic)
        self._collisions = CollisionChecks(
            self, self._served, self._semantic, self._frames, scheduler.suspended
        )
        self._reach = Reachability(self, self._served)
        self._path_markers = PathMarkers(self, self._served)
        self._scene_markers = SceneMarkers(self, self._scene_shown, settings.marker_rate)
        self.add_on_set_parameters_callback(self._change_parameters)
        self._diagnostics = Diagnostics(self, self._state)
        self._servo = Servo(self, self._served, self._frames, self._collisions)
        self.create_subscription(
            String,
            "robot_description",
            lambda message: self._served.describe(message.data),
            LATCHED,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )
        self.create_subscription(
            PoseStamped,
            "~/target_pose",
            lambda one: self._take_targets(PoseArray(header=one.header, poses=[one.pose])),
            10,
            callback_group=ReentrantCallbackGroup(),
        )
        services: list[Threaded] = list(self._make_services(scheduler))
        self.direct_services = [*(services if settings.direct_services else ()), self._servo]
        self._served.start()

    def _make_services(self, scheduler: Scheduler) -> list[DirectService]:
        """Create the services, that for MoveIt's messages only where moveit_msgs is installed."""
        handler = Handler(
            self._serve,
            self._decline,
            timeout=lambda request: requests.client_timeout(request, self._served.settings),
            size=lambda request: len(request.targets.poses),
        )
        services = [DirectService(self, GetIKSolutions, "~/get_ik_solutions", handler, scheduler)]
        paths = PathService(
            self,
            self._served,
            self._collisions,
            self._frames,
            scheduler,
            self._diagnostics.take_path,
            self._path_markers.show,
        )
        services.append(paths.service)
        self._position_ik = PositionIK(
            self,
            self._served,
            self._semantic,
            self._collisions,
            self._frames,
            scheduler,
            self._diagnostics.take_position_ik,
            self._reach.says,
        )
        self._owned.append(self._position_ik)
        if self._position_ik.service is not None:
            services.append(self._position_ik.service)
        return services

    def destroy_node(self) -> None:
        """Destroy the node and what it owns so far: rclpy destroys half-made nodes, too."""
        for part in self._owned:
            part.close()
        super().destroy_node()

    def _serve(
        self,
        request: GetIKSolutions.Request,
        response: GetIKSolutions.Response,
        deadline: float,
        dragged: bool = False,
    ) -> GetIKSolutions.Response:
        """Answer one request; errors become its status and message."""

        def fill() -> None:
            solved = self._solve(request, deadline)
            conversions.fill_response(response, solved.chain, solved.solutions)
            response.message = solved.note or response.message
            if not solved.note:
                solved = solved._replace(dragged=dragged)
                self._results.publish(solved, request.targets.header.stamp)

        response = fill_or_refuse(response, fill, self.get_logger())
        self._diagnostics.take(response)
        return response

    def _decline(
        self, _: GetIKSolutions.Request, response: GetIKSolutions.Response, why: str
    ) -> GetIKSolutions.Response:
        """Answer a request that the scheduler declined."""
        response.status, response.message = response.BUSY, why
        self._diagnostics.take(response)
        return response

    def _take_targets(
        self, targets: PoseArray, tips: Sequence[str] = (), dragged: bool = False
    ) -> None:
        """Solve for a pose, or one of each of several tips, by the node's settings; publish."""
        request = GetIKSolutions.Request(
            targets=targets, tip_links=tips, random_seed=self._served.settings.random_seed
        )
        response = self._serve(request, GetIKSolutions.Response(), math.inf, dragged)
        if response.status < 0:
            self.get_logger().warning(f"target_pose not solved: {response.message}")
        elif response.message and not dragged:  # a drag would log every step out of reach
            self.get_logger().info(f"target_pose: {response.message}")

    def _drag(self, targets: PoseArray, tips: Sequence[str]) -> None:
        """Solve for targets that are dragged in RViz, and have the arm follow, if it is to."""
        self._servo.drag(targets, tips)
        self._take_targets(targets, tips, dragged=True)

    def _solve(self, request: GetIKSolutions.Request, deadline: float) -> Solved:
        begun, (robot, settings) = time.perf_counter(), self._served.current()
        options = requests.read_options(request, settings)
        chain = robot.chain(options.tips)
        seed_state = requests.read_seed_state(request, chain)
        consistency_limits = requests.read_consistency_limits(request, chain)
        header, timeout = request.targets.header, settings.tf_timeout
        targets = self._frames.in_base(header, options.targets_in_frame, chain, timeout)
        # What topics ask for, without a deadline, is shown with the closest configuration.
        # A map knows of exact solutions only.
        if not (math.isinf(deadline) or options.prefer):
            if (known := self._reach.answer(robot, chain, targets, options)) is not None:
                return known
        others = requests.read_other_joints(request, chain)
        until = min(deadline, begun + options.timeout)
        solver, scene = self._collisions.solver(robot, options, others, until)
        solutions = solver.solve(
            targets,
            seed_state=seed_state,
            consistency_limits=consistency_limits,
            timeout=options.time_left(deadline),
            scene=scene,
            region=options.regions,
            **options.wanted,
        )
        return Solved(chain, targets, solutions)

    def _take_semantic(self) -> None:
        """Use another semantic description."""
        try:
            robot = self._served.robot()
        except GenerativeIKError:
            return
        self._collisions.begin()
        self._position_ik.prepare(robot.description, self._served.settings)

    def _state(self) -> NodeState:
        """Return what diagnostics report."""
        collisions, scene = self._collisions.state()
        return replace(self._served.state(), collisions=collisions, scene=scene)

    def _scene_shown(self) -> SceneShown | None:
        """Return what the markers of the scene show, if there is a robot."""
        try:
            robot = self._served.robot()
        except GenerativeIKError:
            return None
        return SceneShown(self._collisions.surroundings, robot.description.root, self._results.hit)

    def _show(self, robot: RobotSolvers, solver: IKSolver, before: RobotSolvers | None) -> None:
        """Show a new robot instead of the one before, and follow its scene."""
        self._collisions.take_robot(robot)
        self._reach.take_robot(robot)
        if before is not None:
            self._results.clear(robot.description.root)
            self._path_markers.clear(robot.description.root)
        self._results.show_initial(self._initial_result(robot, solver))

    def _initial_result(self, robot: RobotSolvers, solver: IKSolver) -> Solved | None:
        """Place the interactive targets within reach and solve for them, for something to show.

        Without a default tip link or `target_tips` there are none, for no link could be named.
        """
        settings, scene = self._served.settings, None
        tips = settings.tips_of_targets
        chain = robot.chain(tips) if tips else solver.chain
        targets = chain.forward(bent_configuration(chain))
        self._handles.place(chain, targets if tips or not robot.ambiguity else None)
        if robot.ambiguity and not tips:
            return None
        try:
            if tips:
                tolerances = settings.position_tolerance, settings.orientation_tolerance
                solver = robot.solver(tips, settings.sampler, *tolerances)
            if settings.avoid_collisions:
                now = time.perf_counter()
                solver, scene = self._collisions.checked(robot, solver, {}, now)
            solutions = solver.solve(
                targets,
                settings.num_solutions,
                timeout=min(settings.timeout, PATIENCE.first_solve),
                scene=scene,
            )
        except GenerativeIKError:
            # Requests are answered with it.
            return None
        return Solved(chain, targets[None], solutions)

    def _change_parameters(self, changes: Sequence[Parameter]) -> SetParametersResult:
        """Validate new parameter values and apply all of them, or none."""
        values: dict[str, object] = {change.name: change.value for change in changes}
        try:
            file = self._collisions.read(values, self._served.settings)
            reach = self._reach.read(values)
            preparation = self._served.change(values)
        except Exception as error:
            if not isinstance(error, GenerativeIKError):
                self.get_logger().error(f"parameters not changed:\n{traceback.format_exc()}")
            return SetParametersResult(successful=False, reason=error_line(error))
        settings = self._served.settings
        for topic in (self._results, self._path_markers, self._scene_markers):
            topic.set_rate(settings.marker_rate)
        self._collisions.apply(values, settings, file)
        self._reach.apply(reach)
        self._servo.change()
        if preparation is not None:
            preparation.done.wait(PATIENCE.applying)
        return SetParametersResult(successful=True)


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; return the exit code.

    Args:
        args: Command line, ROS arguments included; None: that of the process.
    """
    return process.run(GenerativeIKNode, args)


if __name__ == "__main__":
    sys.exit(main())
