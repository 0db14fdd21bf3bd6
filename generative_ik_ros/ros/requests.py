"""A GetIKSolutions request and the node's settings in, checked solver arguments out."""

import math
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError, UnknownNameError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.ros.conversions import poses_to_transforms
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.samplers.registry import sampler_names
from generative_ik_ros.srv import GetIKSolutions

_LEAST_TIMEOUT = 1e-6
"""What is left to a request whose time is up [s]: enough to say so."""


@dataclass(frozen=True)
class SolveOptions:
    """The part of a request that stands on its own, checked, defaults filled in.

    Attributes:
        tip_link: Link to bring to the targets; empty: the node's default.
        sampler: Name of the sampler.
        position_tolerance: Largest distance from the target [m]; inf: position is free.
        orientation_tolerance: Largest angle from the target [rad]; inf: orientation is free.
        targets_in_frame: (B, 4, 4) target poses in the frame of the request [m].
        num_solutions: Distinct solutions wanted for each target.
        timeout: Time for the whole request [s].
        random_seed: The same seed gives the same answer.
    """

    tip_link: str
    sampler: str
    position_tolerance: float
    orientation_tolerance: float
    targets_in_frame: NDArray[np.float64]
    num_solutions: int
    timeout: float
    random_seed: int

    def time_left(self, deadline: float) -> float:
        """Return the time for the solver [s], given a reading of `time.perf_counter`."""
        return min(self.timeout, max(deadline - time.perf_counter(), _LEAST_TIMEOUT))


def read_options(request: GetIKSolutions.Request, settings: Settings) -> SolveOptions:
    """Check a request and replace what it leaves open by the node's settings.

    Raises:
        InvalidTargetError: No targets, too many, or one that is no rigid transform.
        InvalidArgumentError: A number is NaN, negative or beyond the node's limits.
        UnknownNameError: The sampler does not exist.
    """
    samplers = ("auto", *sampler_names())
    if request.sampler and request.sampler not in samplers:
        raise UnknownNameError("sampler", request.sampler, samplers)
    position_tolerance = _tolerance("position", request.position_tolerance, "m")
    orientation_tolerance = _tolerance("orientation", request.orientation_tolerance, "rad")
    timeout = request.timeout
    if math.isnan(timeout) or timeout < 0.0:
        raise InvalidArgumentError(f"timeout must be zero or more seconds, got {timeout}")
    if timeout > settings.max_timeout:
        raise InvalidArgumentError(
            f"timeout {timeout} s is more than the node's max_timeout, {settings.max_timeout} s"
        )
    poses = list(request.targets.poses)
    num_targets = len(poses)
    if num_targets == 0:
        raise InvalidTargetError("targets holds no pose; at least one is needed")
    if num_targets > settings.max_targets:
        raise InvalidTargetError(
            f"{num_targets} targets are more than the node's max_targets, {settings.max_targets}"
        )
    num_solutions = request.num_solutions or settings.num_solutions
    if num_solutions * num_targets > settings.max_solutions:
        raise InvalidArgumentError(
            f"{num_solutions} solutions for each of {num_targets} targets are more than the "
            f"node's max_solutions, {settings.max_solutions} a request"
        )
    return SolveOptions(
        tip_link=request.tip_link,
        sampler=request.sampler or settings.sampler,
        position_tolerance=position_tolerance or settings.position_tolerance,
        orientation_tolerance=orientation_tolerance or settings.orientation_tolerance,
        targets_in_frame=poses_to_transforms(poses),
        num_solutions=num_solutions,
        timeout=timeout or settings.timeout,
        random_seed=request.random_seed if request.random_seed >= 0 else secrets.randbits(63),
    )


class TimeoutOf:
    """Says how long the client of a request waits [s]: the node's default where it does not say.

    Args:
        settings: Returns the present settings.
    """

    def __init__(self, settings: Callable[[], Settings]):
        """Keep where the settings are."""
        self._settings = settings

    def __call__(self, request: GetIKSolutions.Request) -> float:
        """Return the time [s]; a timeout that cannot be is left to `read_options`."""
        settings, timeout = self._settings(), request.timeout
        return timeout if 0.0 < timeout <= settings.max_timeout else settings.timeout


def _tolerance(part: str, value: float, unit: str) -> float:
    if math.isnan(value) or value < 0.0:
        raise InvalidArgumentError(
            f"{part}_tolerance must be zero (the node's default) or more {unit}, got {value}"
        )
    return value


def read_seed_state(
    request: GetIKSolutions.Request, chain: KinematicChain
) -> NDArray[np.float64] | None:
    """Return the seed in the chain's own order, (n,) [rad or m], or None where there is none.

    Raises:
        InvalidArgumentError: It has the wrong length, repeats a joint, lacks one or holds NaN.
    """
    values, names = request.seed_state, list(request.seed_joint_names)
    if not len(values):
        if names:
            raise InvalidArgumentError(
                f"seed_joint_names has {len(names)} names but seed_state is empty"
            )
        return None
    if not names:
        return _joint_vector("seed_state", values, chain)
    if len(names) != len(values):
        raise InvalidArgumentError(
            f"seed_state has {len(values)} entries for {len(names)} seed_joint_names"
        )
    by_name = dict(zip(names, values, strict=True))
    if len(by_name) != len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise InvalidArgumentError(f"seed_joint_names repeats {', '.join(repeated)}")
    missing = [name for name in chain.joint_names if name not in by_name]
    if missing:
        raise InvalidArgumentError(
            f"seed_joint_names lacks {', '.join(missing)}; the chain's joints are: "
            + ", ".join(chain.joint_names)
        )
    return _joint_vector("seed_state", [by_name[name] for name in chain.joint_names], chain)


def read_consistency_limits(
    request: GetIKSolutions.Request, chain: KinematicChain
) -> NDArray[np.float64] | None:
    """Return the largest distance from the seed of each joint, (n,) [rad or m], or None.

    Raises:
        InvalidArgumentError: Wrong length, a NaN or negative entry, or no seed to measure from.
    """
    if not len(request.consistency_limits):
        return None
    if not len(request.seed_state):
        raise InvalidArgumentError("consistency_limits need a seed_state to measure from")
    limits = _joint_vector("consistency_limits", request.consistency_limits, chain, infinite=True)
    if (limits < 0.0).any():
        joint = int(np.argmax(limits < 0.0))
        raise InvalidArgumentError(
            f"consistency_limits must not be negative, got {limits[joint]} for joint "
            f"{chain.joint_names[joint]}"
        )
    return limits


def _joint_vector(
    name: str, values: Sequence[float], chain: KinematicChain, infinite: bool = False
) -> NDArray[np.float64]:
    """Return values as one finite float64 a joint, or say what is wrong with them."""
    vector = np.array(values, dtype=np.float64)
    if len(vector) != chain.num_joints:
        raise InvalidArgumentError(
            f"{name} needs {chain.num_joints} entries, one for each of "
            f"{', '.join(chain.joint_names)}; got {len(vector)}"
        )
    wrong = np.isnan(vector) if infinite else ~np.isfinite(vector)
    if wrong.any():
        joint = int(np.argmax(wrong))
        raise InvalidArgumentError(
            f"{name} is {vector[joint]} for joint {chain.joint_names[joint]}"
        )
    return vector
