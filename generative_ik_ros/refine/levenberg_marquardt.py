"""Batched Levenberg-Marquardt on the CPU: the local solver."""

import math
from copy import copy
from dataclasses import dataclass

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.arguments import positive_number
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import check_kinematics

_WORK_A_PIECE = 1024
"""Seeds times joints that a thread takes at a time: little enough to spread over threads (about
0.1 ms), enough to keep the eight lanes full. It does not depend on the
number of threads, so neither do the results."""
_LANES = _core.lanes()


@dataclass(frozen=True)
class RefineTask:
    """Seeds to refine.

    Attributes:
        targets: (T, 4, 4) target poses, tip in base [m].
        seeds: (S, n) start configurations inside the bounds [rad or m].
        target_of_seed: (S,) index of each seed's target.
        lower: (n,) bounds that no result may leave; infinite for free continuous joints.
        upper: (n,) likewise.
        wanted: (T,) how many converged seeds of a target are enough; the rest may be left out.
        thorough: Whether seeds that do not converge are followed to their local minimum.
    """

    targets: Floats
    seeds: Floats
    target_of_seed: Ints
    lower: Floats
    upper: Floats
    wanted: Ints
    thorough: bool = False


@dataclass(frozen=True)
class Refinement:
    """Where each seed ended.

    Attributes:
        positions: (S, n) where the seed ended [rad or m].
        position_error: (S,) distance of the tip from the target [m]; inf for a seed left out.
        orientation_error: (S,) angle between tip and target [rad]; inf for a seed left out.
        converged: (S,) whether both errors are within the tolerances.
        iterations: (S,) iterations spent; 0 for a seed left out.
    """

    positions: Floats
    position_error: Floats
    orientation_error: Floats
    converged: Bools
    iterations: Ints

    @classmethod
    def none_of(cls, seeds: Floats) -> "Refinement":
        """Return a refinement that leaves all of (S, n) seeds out, in arrays of its own."""
        count = len(seeds)
        return cls(
            np.array(seeds, order="C"),
            np.full(count, np.inf),
            np.full(count, np.inf),
            np.zeros(count, np.bool_),
            np.zeros(count, np.int64),
        )


class LevenbergMarquardt:
    """Damped least squares in the native core, eight seeds at a time (core/src/local_solver).

    It is safe to use from several threads at once.

    Args:
        chain: The chain to solve.
        position_tolerance: [m]; inf leaves the position free.
        orientation_tolerance: [rad]; inf leaves the orientation free.

    Attributes:
        options: (9,) its parameters: weights of position [1/m] and orientation [1/rad] first.
    """

    def __init__(
        self, chain: KinematicChain, position_tolerance: float, orientation_tolerance: float
    ):
        """Choose the parameters."""
        self.chain = check_kinematics(chain)
        self.position_tolerance = positive_number("position_tolerance", position_tolerance)
        self.orientation_tolerance = positive_number(
            "orientation_tolerance", orientation_tolerance
        )
        # A rotation by 1 rad moves the tip by about the characteristic length.
        free = math.isinf(self.position_tolerance)
        self.position_weight = 0.0 if free else 1.0 / chain.characteristic_length
        self.orientation_weight = 0.0 if math.isinf(self.orientation_tolerance) else 1.0
        self.options = self._options()

    @property
    def tolerances(self) -> tuple[float, float]:
        """Of positions [m] and orientations [rad]; inf leaves them free."""
        return self.position_tolerance, self.orientation_tolerance

    @property
    def weights(self) -> tuple[float, float]:
        """Of distances [1/m] and angles [1/rad]; 0 of what is free."""
        return self.position_weight, self.orientation_weight

    def weighted_by_tolerances(self) -> "LevenbergMarquardt":
        """Return one that weighs errors by what is tolerated, where both are held to be 0.

        With tolerances of as many metres as radians, the default, its own weights are those;
        positions get at most a thousand times as much.
        """
        tolerances = self.orientation_tolerance, self.position_tolerance
        ratio = tolerances[0] / tolerances[1]
        if math.isinf(max(tolerances)) or ratio == 1.0:
            return self
        other, most = copy(self), 1e3
        other.position_weight *= min(max(ratio, 1.0 / most), most)
        other.options = other._options()
        return other

    def _options(self) -> Floats:
        goals = self.chain.core.num_goals
        return _core.solver_options(*self.weights, *self.tolerances, goals)

    def refine(self, task: RefineTask) -> Refinement:
        """Move every seed towards its target, inside the bounds."""
        result = Refinement.none_of(task.seeds)
        # Thorough seeds all take long, so refilling lanes gains nothing.
        size = _LANES if task.thorough else max(_LANES, _WORK_A_PIECE // task.seeds.shape[1])
        _core.refine(
            self.chain.core, self.options, task.thorough,
            np.ascontiguousarray(task.lower), np.ascontiguousarray(task.upper),
            np.ascontiguousarray(task.targets), task.target_of_seed, task.wanted,
            result.positions, result.positions, result.position_error, result.orientation_error,
            result.converged, result.iterations, size, self._goals,
        )  # fmt: skip
        result.orientation_error[:] = _angle_of_chord(result.orientation_error)
        return result

    @property
    def _goals(self) -> tuple[Ints, Floats] | None:
        """What targets bound of each goal, and regions about them; None: they are tip poses."""
        return None


def _angle_of_chord(chord: Floats) -> Floats:
    """Turn 2 sin(angle / 2) into the angle; infinite stays infinite."""
    angle = 2.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))
    return np.where(np.isinf(chord), np.inf, angle)
