"""Collision checks of requests: the robot's geometry, the scene, and the solvers that use both."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TypeVar

from rclpy.node import Node

from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.errors import GenerativeIKError, RobotDescriptionError
from generative_ik_ros.moveit import GenerativeIK
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.ros.collision_models import CollisionModels, NoCollisionModelError
from generative_ik_ros.ros.frames import Frames
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.requests import Options
from generative_ik_ros.ros.scene_sources import CloudTopic, OnceLog, PlanningSceneTopic
from generative_ik_ros.ros.semantic import Semantic
from generative_ik_ros.ros.served import Served
from generative_ik_ros.ros.solvers import RobotSolvers
from generative_ik_ros.ros.surroundings import EMPTY, Surroundings, standing


@dataclass(frozen=True)
class SolverCache:
    """How many solvers with collision checks are kept, and how many of them prepared."""

    kept: int = 32
    """Solvers with collision checks that are kept: one for each chain, tolerance and state of
    other joints."""
    prepared: int = 4
    """Solvers, those that were used last, for which a new scene is prepared before it counts."""


CACHE = SolverCache()

_Solver = TypeVar("_Solver", IKSolver, GenerativeIK)


class CollisionChecks:
    """Makes solvers check collisions among what the node knows of its surroundings.

    A change of the surroundings makes a new immutable record of them, which is swapped in by one
    assignment when the solvers in use are prepared for it.

    Attributes:
        surroundings: What the robot is checked among.
        log: Logs each line once.

    Raises:
        GenerativeIKError: The scene file or the topic of clouds cannot be used.
    """

    def __init__(
        self,
        node: Node,
        served: Served,
        semantic: Semantic,
        frames: Frames,
        pause: Callable[[], AbstractContextManager[None]],
    ):
        self._served, self._semantic, self._pause = served, semantic, pause
        self._models = CollisionModels(node.get_logger())
        self._solvers: OrderedDict[object, tuple[object, IKSolver | GenerativeIK]] = OrderedDict()
        self._lock, self._changing = threading.Lock(), threading.Lock()
        self.log = OnceLog(node)
        initial = served.settings
        self._wanted = initial.avoid_collisions
        self.surroundings = Surroundings(read_scene(initial), padding=initial.collision_padding)
        self._planning_scene = PlanningSceneTopic(
            node, lambda followed: self._change(followed=followed), self.log
        )
        self._cloud = CloudTopic(
            node, served, frames, lambda cloud: self._change(cloud=cloud), self.log
        )
        self._cloud.listen(initial.point_cloud_topic)

    def take_robot(self, robot: RobotSolvers) -> None:
        """Follow the scene of a robot."""
        self._planning_scene.set_robot(robot.description)

    def read(self, values: Mapping[str, object], settings: Settings) -> Scene | None:
        """Return what the scene file holds, if parameters that are to change concern it.

        Raises:
            GenerativeIKError: It cannot be used, or there can be no topic of clouds of that name.
        """
        self._cloud.check(str(values.get("point_cloud_topic", "")))
        if "scene_file" not in values and "mesh_dirs" not in values:
            return None
        return read_scene(settings.changed(values))

    def apply(self, values: Mapping[str, object], settings: Settings, file: Scene | None) -> None:
        """Apply new values of parameters.

        Args:
            values: Those that were set.
            settings: The settings with them.
            file: What the scene file holds, if it was read again.
        """
        if file is not None or "collision_padding" in values:
            kept = self.surroundings.file if file is None else file
            self._change(file=kept, padding=settings.collision_padding)
        if "point_cloud_topic" in values:
            self._cloud.listen(settings.point_cloud_topic)
            if not settings.point_cloud_topic:
                self._change(cloud=None)
        if settings.avoid_collisions:
            self.begin()

    def begin(self) -> None:
        """Begin to read the robot's geometry, if there is a robot and it is wanted."""
        if self._served.settings.avoid_collisions or self._wanted:
            self._wanted = True
            try:
                robot = self._served.robot()
            except GenerativeIKError:
                return
            self._models.begin(robot, self._semantic.text(), self._served.settings)

    def load(self, robot: RobotSolvers, settings: Settings) -> None:
        """Read a robot's geometry now; what keeps it from being used is logged."""
        try:
            self._models.get(robot, self._semantic.text(), settings)
        except GenerativeIKError:
            return

    def solver(
        self, robot: RobotSolvers, options: Options, joints: Mapping[str, float], deadline: float
    ) -> tuple[IKSolver, Scene | None]:
        """Return the solver that a request asks for, and the scene it checks among, if it does.

        Arguments and errors are those of `RobotSolvers.solver` and `checked`.
        """
        solver = robot.solver(
            options.tips,
            options.sampler,
            options.position_tolerance,
            options.orientation_tolerance,
            deadline,
            self._pause,
            options.prefer,
        )
        if not options.avoid_collisions:
            return solver, None
        return self.checked(robot, solver, joints, deadline)

    def checked(
        self,
        robot: RobotSolvers,
        solver: _Solver,
        joints: Mapping[str, float],
        deadline: float,
        wait: bool = True,
    ) -> tuple[_Solver, Scene]:
        """Return a solver that checks collisions, and the scene that it is to check among.

        Args:
            robot: The robot that the solver is for.
            solver: One without collision checks.
            joints: Positions of joints outside its chain that the request names [rad or m].
            deadline: Reading of `time.perf_counter` until which to wait for the geometry [s].
            wait: Whether to wait for it.

        Raises:
            PreparingError: The robot's geometry is still being read.
            NoCollisionModelError: It cannot be read, or has none of what the chain moves.
            GenerativeIKError: The scene is none for this robot.
        """
        self._wanted = True
        model = self._models.get(
            robot,
            self._semantic.text(),
            self._served.settings,
            deadline if wait else time.perf_counter(),
            self._pause,
        )
        surroundings = self.surroundings
        made = self._made(solver, model, surroundings, joints)
        try:
            made.prepare(surroundings.scene)
        except RobotDescriptionError as error:
            raise NoCollisionModelError(f"collisions cannot be checked: {error}") from None
        return made, surroundings.scene

    def _made(
        self,
        solver: _Solver,
        model: CollisionModel,
        surroundings: Surroundings,
        joints: Mapping[str, float],
    ) -> _Solver:
        """Return the solver with checks, made only if it has not been."""
        positions = {**surroundings.joints, **joints}
        others = standing(model.description, positions, solver.chain.names)
        followed = surroundings.followed
        # Scenes that carry the same, and may touch likewise, share solvers.
        loaded = () if followed is None else (*followed.carried.values(), followed.matrix)
        parts = (solver, model, *loaded)
        key = tuple(map(id, parts)), tuple(sorted(others.items()))
        with self._lock:
            found = self._solvers.get(key)
            if found is not None:
                self._solvers.move_to_end(key)
                return found[1]  # pyright: ignore[reportReturnType]
        made = solver.with_collision(replace(surroundings.loaded(model), joint_positions=others))
        with self._lock:
            # What the key has the numbers of must live as long.
            self._solvers[key] = parts, made
            while len(self._solvers) > CACHE.kept:
                self._solvers.popitem(last=False)
        return made

    def state(self) -> tuple[str, str]:
        """Say whether collisions are checked, or why not, and what the scene has."""
        switched = "all requests" if self._served.settings.avoid_collisions else "on request"
        try:
            robot = self._served.robot()
        except GenerativeIKError:
            return f"{switched}; no robot yet", self.surroundings.description()
        model = self._models.state(robot, self._semantic.text(), self._served.settings)
        return f"{switched}; geometry {model}", self.surroundings.description()

    def _change(self, **changes: object) -> None:
        """Swap in other surroundings when the solvers in use are prepared for their scene."""
        with self._changing:
            new = self.surroundings.changed(**changes)
            try:
                scene = new.scene
            except GenerativeIKError as error:
                self.log.warn(f"the scene is kept as it was: {error}")
                return
            with self._lock:
                used = [made for _, made in list(self._solvers.values())[-CACHE.prepared :]]
            for solver in used:
                try:
                    solver.prepare(scene)
                except GenerativeIKError:
                    # Requests are answered with it.
                    continue
            self.surroundings = new


def read_scene(settings: Settings) -> Scene:
    """Return what the scene file holds.

    Raises:
        GenerativeIKError: It cannot be used.
    """
    if not settings.scene_file:
        return EMPTY
    return Scene.from_yaml(settings.scene_file, package_dirs=settings.mesh_folders)
