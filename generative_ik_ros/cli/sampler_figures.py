"""What the samplers of a chain propose for one pose, and what becomes of it."""

import statistics
from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt, RefineTask
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.closed_form import ClosedForm
from generative_ik_ros.select.verify import Verifier


@dataclass(frozen=True)
class SamplerFigures:
    """One sampler on one pose.

    Attributes:
        sampler: Its name.
        device: Where it runs.
        raw: (K, n) what it proposes [rad or m]; None where it proposes no seeds.
        position_error: Their distance from the pose, the median [m].
        orientation_error: Their angle from it, the median [rad].
        converged: Share that the local solver makes exact.
        solutions: (M, n) what a whole call finds [rad or m].
        seconds: Time of such a call, the median [s].
    """

    sampler: str
    device: str
    raw: Floats | None
    position_error: float
    orientation_error: float
    converged: float
    solutions: Floats
    seconds: float


def measure_sampler(
    chain: KinematicChain, name: str, target: Floats, samples: int, wanted: int, random_seed: int
) -> SamplerFigures | str:
    """Measure a sampler on a pose (4, 4), or say in a line why it cannot be used.

    Args:
        chain: The chain.
        name: The sampler's name.
        target: (4, 4) tip in base [m].
        samples: Raw samples.
        wanted: Solutions of a whole call.
        random_seed: The same gives the same result.
    """
    try:
        solver = IKSolver(chain, sampler=name)
    except GenerativeIKError as error:
        return str(error)
    calls = 7  # timed, after one that fills caches
    found = [solver.solve(target, wanted, random_seed=random_seed) for _ in range(1 + calls)][1:]
    sampler = solver.sampler
    raw, errors, converged = None, (np.nan, np.nan), np.nan
    if not isinstance(sampler, ClosedForm):
        raw = sampler.samples(target, samples, random_seed)
        of_seed = np.zeros(len(raw), np.int64)
        errors = Verifier(chain).errors(raw, target[None], of_seed).T
        refiner = LevenbergMarquardt(
            chain, solver.position_tolerance, solver.orientation_tolerance
        )
        limits = chain.lower, chain.upper
        task = RefineTask(target[None], raw, of_seed, *limits, np.full(1, len(raw)))
        converged = float(refiner.refine(task).converged.mean())
    return SamplerFigures(
        sampler=sampler.name if name != "auto" else f"auto ({sampler.name})",
        device=sampler.device,
        raw=raw,
        position_error=float(np.median(errors[0])),
        orientation_error=float(np.median(errors[1])),
        converged=converged,
        solutions=found[0].of(0),
        seconds=statistics.median(one.timings.total for one in found),
    )
