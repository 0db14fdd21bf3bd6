"""Pink: differential inverse kinematics by quadratic programs on pinocchio's model.

From random restarts, from a seed state, and as a tracker.
"""

from typing import Any

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.seeded import SeededSolver
from generative_ik_benchmarks.peers.stepping import FrameTaskNear, LoneArm
from generative_ik_benchmarks.peers.tracking import Case, Motion, Tracker, turn_cost
from generative_ik_benchmarks.peers.tree_restarts import TreeRestarts
from generative_ik_benchmarks.solver import imported
from generative_ik_ros.array_types import Floats


class Pink(TreeRestarts):
    """Pink (S. Caron et al., 2022), a frame task for each tip, solved by DAQP.

    Each step is a whole Gauss-Newton step with its Levenberg-Marquardt damping, within the joint
    limits; velocities are not limited, for no time passes.

    Raises:
        MissingDependencyError: Pink or DAQP is not installed.
    """

    def __init__(self, *arguments: Any, **more: Any):  # noqa: ANN401 (of `TreeRestarts`)
        """Make a task for each tip."""
        super().__init__(*arguments, **more)
        self.name = "Pink, restarts"
        self._pink = pink = _pink()
        self._limits = [pink.limits.ConfigurationLimit(self.model, 1.0)]
        self._at = pink.Configuration(
            self.model, self.model.createData(), self.pin.neutral(self.model)
        )
        costs = {"position_cost": 1.0, "orientation_cost": 1.0, "lm_damping": 1e-2}
        self._relative = [self.reference(tip) != "world" for tip in self.case.tip_links]
        self._tasks = [
            pink.tasks.RelativeFrameTask(tip, self.reference(tip), **costs)
            if relative
            else pink.tasks.FrameTask(tip, **costs)
            for tip, relative in zip(self.case.tip_links, self._relative, strict=True)
        ]

    def aim(self, goals: Floats) -> None:
        """Take goals, see `TreeRestarts`."""
        for task, goal in zip(self._tasks, goals, strict=True):
            task.set_target(self.pin.SE3(goal))

    def errors(self, q: Floats) -> Floats:
        """Return the errors of the tasks, see `TreeRestarts`."""
        self._at.update(q)
        return np.array([task.compute_error(self._at) for task in self._tasks])

    def step(self, q: Floats) -> Floats | None:
        """Solve one quadratic program, see `TreeRestarts`."""
        try:
            velocity = self._pink.solve_ik(
                self._at, self._tasks, 1.0, solver="daqp", damping=1e-9, limits=self._limits,
                safety_break=False,
            )  # fmt: skip
        except self._pink.exceptions.NoSolutionFound:
            return None
        return self._at.integrate(velocity, 1.0)


class PinkNear(FrameTaskNear):
    """Pink (S. Caron et al., 2022), a frame task, solved by DAQP, see `Stepping`.

    Raises:
        MissingDependencyError: Pink or DAQP is not installed.
        UnsupportedChainError: See `Stepping`.
    """

    name = "Pink"
    more = {"safety_break": False}

    def __init__(self, case: ChainCase, seconds: float):
        """Make the model and the task."""
        self.library = pink = _pink()
        self._pin = imported("pinocchio", "pin", "peer 'pink'")
        super().__init__(case, seconds)
        self.none_found = self.library.exceptions.NoSolutionFound
        self._model = self._pin.buildModelFromXML(self.arm.urdf)
        self._data = self._model.createData()
        self.task = pink.tasks.FrameTask(
            self.arm.tip_link, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-2
        )
        self.limits = [pink.limits.ConfigurationLimit(self._model, 1.0)]
        # The arm is a chain of joints with one number each: pinocchio has them in its order.
        assert tuple(self._model.names)[1:] == self.arm.joint_names  # noqa: S101

    def start(self, tip_in_world: Floats, seed_state: Floats) -> None:
        """Set the target, see `Stepping`."""
        self.task.set_target(self._pin.SE3(tip_in_world))
        self.configuration = self.library.Configuration(self._model, self._data, seed_state)


class PinkTracker(Tracker):
    """Pink (S. Caron et al., 2022): frame tasks with gain 1, solved by DAQP, see `Tracker`.

    It has the same limits of positions, velocities and accelerations, and a posture task of low
    cost for what the tips leave open.

    Raises:
        MissingDependencyError: Pink or DAQP is not installed.
        UnsupportedChainError: See `LoneArm`.
    """

    name = "Pink"

    def __init__(self, case: Case, motion: Motion):
        """Make the model and the tasks."""
        pinocchio = self._pin = imported("pinocchio", "pin", "peer 'pink'")
        self._pink = pink = _pink()
        arm = LoneArm.of(case)
        model = pinocchio.buildModelFromXML(arm.urdf)
        self._order = [arm.joint_names.index(name) for name in model.names[1:]]
        model.velocityLimit = motion.velocity[self._order]
        self._acceleration = pink.limits.AccelerationLimit(model, motion.acceleration[self._order])
        self._limits = [
            pink.limits.ConfigurationLimit(model), pink.limits.VelocityLimit(model),
            self._acceleration,
        ]  # fmt: skip
        costs = {"position_cost": 1.0, "orientation_cost": turn_cost(case.chain)}
        self._frames = [
            pink.tasks.FrameTask(tip, **costs, lm_damping=1e-3) for tip in arm.tip_links
        ]
        posture = pink.tasks.PostureTask(cost=1e-3)
        posture.set_target(motion.start[self._order])
        self._tasks, self._period = [*self._frames, posture], motion.period
        self._at = self._pink.Configuration(model, model.createData(), motion.start[self._order])
        self._base_in_world = arm.base_in_world

    def step(self, targets: Floats) -> Floats:
        """Return the next configuration (n,), see `Tracker`."""
        for task, target in zip(self._frames, targets, strict=True):
            task.set_target(self._pin.SE3(self._base_in_world @ target))
        try:
            velocity = self._pink.solve_ik(
                self._at, self._tasks, self._period, solver="daqp", limits=self._limits,
                safety_break=False,
            )  # fmt: skip
        except self._pink.exceptions.NoSolutionFound:
            # Its limits exclude each other: it does not look ahead.
            velocity = np.zeros(len(self._order))
        self._acceleration.set_last_integration(velocity, self._period)
        self._at.integrate_inplace(velocity, self._period)
        found = np.empty(len(self._order))
        found[self._order] = self._at.q
        return found


def _pink() -> Any:  # noqa: ANN401 (a module)
    """Return Pink; DAQP, which it calls, is installed, too."""
    pink = imported("pink", "pin-pink", "peer 'pink'")
    for module in ("pink.tasks", "pink.limits"):
        imported(module, "pin-pink", "peer 'pink'")
    imported("daqp", "daqp", "peer 'pink'")
    return pink


def seeded(case: ChainCase, seconds: float) -> list[SeededSolver]:
    """Return it once."""
    return [PinkNear(case, seconds)]
