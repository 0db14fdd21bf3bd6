"""The parts of the pipeline that a search puts to work, prepared once for all calls."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.refine.base import Refiner
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.search.state import Problem, pack
from generative_ik_ros.select.verify import Verifier
from generative_ik_ros.space import SearchSpace


@dataclass(frozen=True)
class Stages:
    """Sampler, refiner and verifier of one chain.

    Attributes:
        chain: The chain.
        sampler: Where seeds come from.
        refiner: What makes them exact.
        verifier: What checks them.
        distinct_distance: Solutions with no joint further apart are one [rad or m].
        whole: The space that is searched unless a seed state says otherwise.
        inline: Whether the compiled search refines seeds itself; otherwise it only checks what
            the refiner returned.
        spare: Whether it may walk along continuous sets of solutions.
        problem: Chain and tolerances for the compiled search.
        check: The same with no iteration, to check what is said to be a solution.
    """

    chain: KinematicChain
    sampler: Sampler
    refiner: Refiner
    verifier: Verifier
    distinct_distance: float
    whole: SearchSpace
    inline: bool
    spare: bool
    problem: tuple[NDArray[np.float64], NDArray[np.int64]]
    check: tuple[NDArray[np.float64], NDArray[np.int64]]

    @classmethod
    def of(
        cls,
        sampler: Sampler,
        refiner: Refiner,
        distinct_distance: float,
    ) -> "Stages":
        """Prepare the compiled search for a sampler and a refiner of one chain."""
        chain, verifier = refiner.chain, Verifier(refiner.chain)
        tolerances = refiner.position_tolerance, refiner.orientation_tolerance
        inline = isinstance(refiner, LevenbergMarquardt)
        kernel = refiner if inline else LevenbergMarquardt(chain, *tolerances)
        reach = chain.reach + tolerances[0]
        problem, check = (
            pack(Problem(kernel.kernel_chain, options, verifier.arrays, *tolerances, limit))
            for options, limit in (
                (kernel.options, reach),
                (kernel.options._replace(max_iterations=1), math.inf),
            )
        )
        constraints = 3 * ((refiner.position_weight > 0.0) + (refiner.orientation_weight > 0.0))
        return cls(
            chain=chain,
            sampler=sampler,
            refiner=refiner,
            verifier=verifier,
            distinct_distance=distinct_distance,
            whole=SearchSpace.of(chain, distinct_distance),
            inline=inline,
            spare=inline and chain.num_joints > constraints,
            problem=problem if inline else check,
            check=check,
        )
