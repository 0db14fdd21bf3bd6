"""The questions about collisions that a solver answers for configurations of the caller's."""

from copy import copy
from typing import TYPE_CHECKING, TypeVar

from numpy.typing import ArrayLike

from generative_ik_ros.arguments import joint_array, true_or_false
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.search.stages import Stages

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import CollisionChecker, SceneCheck
    from generative_ik_ros.collision.model import CollisionModel
    from generative_ik_ros.collision.scene import Scene
    from generative_ik_ros.search.goal_stages import GoalStages

_Solver = TypeVar("_Solver", bound="CollisionQueries")
_NO_MODEL = (
    "collisions need the robot's geometry: "
    "IKSolver(chain, collision=CollisionModel.from_urdf(...))"
)


class CollisionQueries:
    """The collision queries of `IKSolver`.

    Attributes:
        chain: The chain.
        sampler: Where seeds come from.
    """

    chain: KinematicChain
    sampler: Sampler
    _stages: Stages
    _goal_stages: "GoalStages | None"
    _checker: "CollisionChecker | None"

    def collides(self, positions: ArrayLike, *, scene: "Scene | None" = None) -> Bools:
        """Say which configurations collide, by the shapes themselves where spheres cannot tell.

        Args:
            positions: (..., n) configurations [rad or m].
            scene: Obstacles; None: only the robot itself.

        Raises:
            InvalidArgumentError: The solver has no collision model, or the arguments are unusable.
            RobotDescriptionError: There are obstacles, but nothing that moves has shapes.
        """
        rows, check = self.chain.check_positions(positions), self._needed_check(scene)
        return check.colliding(rows.reshape(-1, self.chain.num_joints)).reshape(rows.shape[:-1])

    def clearance(
        self, positions: ArrayLike, *, scene: "Scene | None" = None, exact: bool = False
    ) -> Floats:
        """Measure how far configurations are from collision.

        Args:
            positions: (..., n) configurations that are free of collisions [rad or m].
            scene: Obstacles; None: only the robot itself.
            exact: Whether to measure between the shapes themselves, which takes three times as
                long and more where there are meshes. Otherwise it is a lower bound by spheres.

        Returns:
            (...) distance of the nearest two things that are checked against each other [m].

        Raises:
            InvalidArgumentError: The solver has no collision model, or the arguments are unusable.
            RobotDescriptionError: There are obstacles, but nothing that moves has shapes.
        """
        rows, check = self.chain.check_positions(positions), self._needed_check(scene)
        flat = rows.reshape(-1, self.chain.num_joints)
        measure = check.distances if true_or_false("exact", exact) else check.clearance
        return measure(flat).reshape(rows.shape[:-1])

    def with_collision(self: _Solver, model: "CollisionModel") -> _Solver:
        """Return a solver with another collision model that shares everything else with this one.

        Args:
            model: The robot's geometry, for example with joints outside the chain moved.

        Raises:
            InvalidArgumentError: The model is of another robot.
        """
        solver = copy(self)
        solver._check_by(model)
        return solver

    def _check_by(self, model: "CollisionModel") -> None:
        """Check collisions of a model, with seeds that are free of them where the sampler can."""
        from generative_ik_ros.collision.checker import CollisionChecker

        self._checker = CollisionChecker(model, self.chain)
        sampler = self.sampler.among_free(self._checker.surely_free)
        if sampler is not self.sampler:
            self.sampler, self._goal_stages = sampler, None
            self._stages = self._stages.seeded_by(sampler)

    def prepare(self, scene: "Scene") -> None:
        """Prepare collision checks for a scene; otherwise the first call with it does so.

        Raises:
            InvalidArgumentError: The solver checks no collisions, or an obstacle moves with the
                chain.
            UnknownNameError: The scene names a link that the robot does not have.
            RobotDescriptionError: There are obstacles, but nothing that moves has shapes.
        """
        self._check(scene)

    def colliding_pair(
        self, positions: ArrayLike, scene: "Scene | None" = None
    ) -> tuple[str, str] | None:
        """Return the names of two things that collide in a configuration, or None.

        Args:
            positions: (n,) configuration [rad or m].
            scene: Obstacles; None: only the robot itself.

        Raises:
            InvalidArgumentError: The positions are unusable, or there is a scene, but no collision
                model. Without both, nothing collides.
        """
        check = self._check(scene)
        if check is None:
            return None
        q = self.chain.check_positions(joint_array("positions", positions, self.chain.names))
        return check.colliding_pair(q)

    def _check(self, scene: "Scene | None") -> "SceneCheck | None":
        """Return the collision check of a call, if there is one."""
        if self._checker is not None:
            return self._checker.at(scene)
        if scene is not None:
            raise InvalidArgumentError(_NO_MODEL)
        return None

    def _needed_check(self, scene: "Scene | None") -> "SceneCheck":
        check = self._check(scene)
        if check is None:
            raise InvalidArgumentError(_NO_MODEL)
        return check
