"""Solvers of others for poses that cannot be met: the position first, then the orientation.

None of them looks for the least of all minima by itself, so each is begun at a number of random
configurations, the same for all, and the best of what they come to counts: of those at the
position the one with the least angle, else the one nearest to the position.
"""

import tempfile
import warnings
from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.peers.placo import PlacoArm
from generative_ik_benchmarks.peers.stepping import LoneArm
from generative_ik_benchmarks.solver import Solver, imported
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.joints import finite_limits

EXACT = 1e-5
"""Distance at which a position is reached [m]."""


class NearestByRestarts(Solver):
    """One solver, begun at a number of random configurations."""

    position_tolerance, orientation_tolerance = EXACT, np.inf

    def __init__(self, case: ChainCase, restarts: int, seed: int):
        """Remember the settings."""
        self.case, self.chain, self._restarts = case, case.chain, restarts
        self._seed, self._limits = seed, np.stack(finite_limits(case.chain))

    @abstractmethod
    def descend(self, target: Floats, start: Floats) -> Floats:
        """Return where it comes to (n,) from a configuration (n,), for tip in base (4, 4)."""

    def solve(self, tip_in_base: Floats) -> Floats:
        """Return the best of what it comes to (1, n), clipped to the limits."""
        target = tip_in_base
        rng = np.random.default_rng(self._seed)
        starts = rng.uniform(
            self._limits[0], self._limits[1], (self._restarts, self.chain.num_joints)
        )
        ends = np.clip([self.descend(target, start) for start in starts], *self._limits)
        distance, angle = pose_errors(self.chain.forward, ends, target)
        return ends[np.lexsort((angle, np.maximum(distance, EXACT)))[:1]]


class SlsqpNearest(NearestByRestarts):
    """SciPy's SLSQP: the angle is minimised where the distance is 0."""

    name = "SLSQP"

    def descend(self, target: Floats, start: Floats) -> Floats:
        """See `NearestByRestarts`."""
        chain = self.chain

        def cost(q: Floats) -> tuple[float, Floats]:
            turn = target[:3, :3] @ chain.forward(q)[:3, :3].T
            sine = turn[[2, 0, 1], [1, 2, 0]] - turn[[1, 2, 0], [2, 0, 1]]
            return (3.0 - np.trace(turn)) / 2.0, -chain.jacobian(q)[3:].T @ sine / 2.0

        there: dict[str, Any] = {
            "type": "eq",
            "fun": lambda q: chain.forward(q)[:3, 3] - target[:3, 3],
            "jac": lambda q: chain.jacobian(q)[:3],
        }
        found = minimize(
            cost, start, jac=True, method="SLSQP", bounds=self._limits.T, constraints=there,
            options={"maxiter": 200, "ftol": 1e-14},
        )  # fmt: skip
        return found.x


class PlacoNearest(NearestByRestarts):
    """PlaCo (Rhoban, 2023): a position task of a million times the weight of the orientation task.

    Raises:
        MissingDependencyError: PlaCo is not installed.
    """

    name = "PlaCo"
    _STEPS = 60

    def __init__(self, case: ChainCase, restarts: int, seed: int):
        """Make robot and tasks."""
        super().__init__(case, restarts, seed)
        self._arm = LoneArm.of(case)
        self._placo = PlacoArm(self._arm)
        solver = self._placo.solver
        tip = case.tip_link
        self._position = solver.add_position_task(tip, np.zeros(3))
        # A hard task that a step cannot fulfil within the limits would have no step at all.
        self._position.configure("position", "soft", 1e6)
        self._orientation = solver.add_orientation_task(tip, np.eye(3))
        self._orientation.configure("orientation", "soft", 1.0)
        solver.add_regularization_task(1e-6)

    def descend(self, target: Floats, start: Floats) -> Floats:
        """See `NearestByRestarts`."""
        self._placo.put(start)
        world = self._arm.base_in_world @ target
        self._position.target_world, self._orientation.R_world_frame = world[:3, 3], world[:3, :3]
        for _ in range(self._STEPS):
            if not self._placo.step():
                break
        return self._placo.positions()


class IkpyNearest(NearestByRestarts):
    """ikpy (P. Manceron, 2016): bounded least squares of position and orientation.

    Raises:
        MissingDependencyError: ikpy is not installed.
    """

    name = "ikpy"

    def __init__(self, case: ChainCase, restarts: int, seed: int):
        """Read the chain."""
        super().__init__(case, restarts, seed)
        ikpy = imported("ikpy.chain", "ikpy", "peer 'ikpy'")
        arm, chain = LoneArm.of(case), case.chain
        route = path(chain.description, case.base_link, case.tip_link)
        # Links and joints in turns, from the base to the tip.
        words = [case.base_link, *(w for joint, _ in route for w in (joint.name, joint.child))]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "arm.urdf"
            file.write_text(arm.urdf)
            # It warns of fixed joints, which it has to be told of only once it has read them.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._arm = ikpy.Chain.from_urdf_file(
                    str(file), base_elements=words, base_element_type="link"
                )
        names = [link.name for link in self._arm.links]
        self._index = [names.index(name) for name in chain.joint_names]
        self._arm.active_links_mask = np.isin(np.arange(len(names)), self._index)

    def descend(self, target: Floats, start: Floats) -> Floats:
        """See `NearestByRestarts`."""
        whole = np.zeros(len(self._arm.links))
        whole[self._index] = start
        found = self._arm.inverse_kinematics(
            target[:3, 3], target[:3, :3], "all", initial_position=whole
        )
        return np.asarray(found)[self._index]


NEAREST: dict[str, Callable[[ChainCase, int, int], NearestByRestarts]] = {
    "placo": PlacoNearest,
    "ikpy": IkpyNearest,
    "slsqp": SlsqpNearest,
}
"""By name."""
