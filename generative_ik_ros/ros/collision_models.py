"""Collision geometry of robots, read in the background when it is first needed."""

import math
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from rclpy.impl.rcutils_logger import RcutilsLogger

from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.errors import GenerativeIKError, RobotDescriptionError
from generative_ik_ros.ros.log_lines import error_line
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.solvers import RobotSolvers, load_beside, result_of


@dataclass(frozen=True)
class ModelCache:
    """What is kept of geometry that was read."""

    kept: int = 4
    """Robots, with their semantic descriptions and settings, whose geometry is kept."""
    retry: float = 10.0
    """Time after which geometry that could not be read is tried again [s]."""


CACHE = ModelCache()


_Key = tuple[str, str, tuple[str, ...], bool]
"""URDF and SRDF text, where the packages of meshes are, and whether visual shapes count."""


class NoCollisionModelError(GenerativeIKError):
    """The robot's collision geometry cannot be used; the message says why."""


class CollisionModels:
    """The collision models of robots; how long reading took, or why it failed, is logged."""

    def __init__(self, logger: RcutilsLogger):
        self._logger = logger
        self._lock = threading.Lock()
        self._models: OrderedDict[_Key, Future[CollisionModel]] = OrderedDict()
        self._failed: dict[_Key, float] = {}

    def get(
        self,
        robot: RobotSolvers,
        semantic: str,
        settings: Settings,
        deadline: float = math.inf,
        pause: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> CollisionModel:
        """Return the model of a robot.

        Args:
            robot: The robot.
            semantic: SRDF text; "": none.
            settings: Where the packages of meshes are, and which shapes count.
            deadline: Reading of `time.perf_counter` until which to wait [s].
            pause: Returns a context to wait in.

        Raises:
            PreparingError: It is not ready by the deadline; reading goes on.
            NoCollisionModelError: It cannot be read.
        """
        future = self._future(_key(robot, semantic, settings), robot)
        if future.done():
            return future.result()
        name = robot.description.name
        with pause():
            return result_of(
                future, deadline, f"the collision geometry of robot '{name}' is being read"
            )

    def begin(self, robot: RobotSolvers, semantic: str, settings: Settings) -> None:
        """Begin to read a model unless that has been done."""
        self._future(_key(robot, semantic, settings), robot)

    def state(self, robot: RobotSolvers, semantic: str, settings: Settings) -> str:
        """Say what has become of a model, in a word or two, or why it cannot be used."""
        future = self._models.get(_key(robot, semantic, settings))
        if future is None:
            return "not read yet"
        if not future.done():
            return "being read"
        error = future.exception()
        return "ready" if error is None else f"unusable: {error}"

    def _future(self, key: _Key, robot: RobotSolvers) -> "Future[CollisionModel]":
        with self._lock:
            if time.monotonic() - self._failed.get(key, math.inf) > CACHE.retry:
                self._models.pop(key, None)
            if (future := self._models.get(key)) is not None:
                self._models.move_to_end(key)
                return future
            self._failed.pop(key, None)
            future = self._models[key] = Future()
            while len(self._models) > CACHE.kept:
                self._failed.pop(self._models.popitem(last=False)[0], None)
        load_beside(self._load, key, robot, future)
        return future

    def _load(self, key: _Key, robot: RobotSolvers, future: "Future[CollisionModel]") -> None:
        begun, name = time.monotonic(), f"robot '{robot.description.name}'"
        try:
            model = _read(robot, *key[1:])
        except Exception as error:
            if not isinstance(error, GenerativeIKError):
                self._logger.error(f"reading collision geometry failed:\n{traceback.format_exc()}")
            why = error_line(error).replace("package_dirs=", "the parameter mesh_dirs")
            self._logger.error(f"no collision checks for {name}: {why}")
            self._failed[key] = time.monotonic()
            future.set_exception(NoCollisionModelError(f"collisions cannot be checked: {why}"))
            return
        seconds = time.monotonic() - begun
        how = "the SRDF's pairs are" if key[1] else "no SRDF: what touches always or never is"
        self._logger.info(
            f"collision geometry of {name} ready: {len(model.links)} links in {seconds:.2f} s; "
            f"{how} not checked"
        )
        future.set_result(model)


def _key(robot: RobotSolvers, semantic: str, settings: Settings) -> _Key:
    return robot.key, semantic, settings.mesh_folders, settings.collision_visuals


def _read(
    robot: RobotSolvers, semantic: str, folders: tuple[str, ...], visuals: bool
) -> CollisionModel:
    """Read a model, with the spheres of its links.

    Raises:
        RobotDescriptionError: A mesh is missing, or there is nothing to check.
    """
    description = robot.description
    if not description.collisions and not (visuals and description.visuals):
        raise RobotDescriptionError(
            "the robot description has no collision elements; the parameter collision_visuals "
            "takes visual ones"
        )
    model = CollisionModel.from_urdf(
        description, srdf=semantic or None, package_dirs=folders, visuals=visuals
    )
    # Found once for all positions of other joints.
    model = replace(model, allowed=model.unchecked)
    return model
