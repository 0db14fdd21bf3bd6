"""Approximations: what is preferred of a pose is met exactly, the other as nearly as possible.

Where a pose has no solution, the core searches for the configurations that meet its position, or
its orientation, and are local minima of the other error (core/src/local_solver/least_error.hpp).
It is the search of all other calls, with another local solver and another end to it: all minima
are looked for, whatever number is wanted, for the least one may come last.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from generative_ik_ros.errors import InvalidArgumentError, UnsupportedChainError, check_names
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.search.one_by_one import one_by_one
from generative_ik_ros.search.outcome import NEAREST, Outcome
from generative_ik_ros.search.results import find
from generative_ik_ros.search.stages import Preference, Stages
from generative_ik_ros.select.verify import Verifier

POSITION, ORIENTATION = "position", "orientation"
PREFERRED = POSITION, ORIENTATION
"""What may be preferred."""


def check_prefer(prefer: str | None, chain: object, tolerances: tuple[float, float]) -> str | None:
    """Return what a solver prefers, checked.

    Raises:
        UnknownNameError: It is none of `PREFERRED`.
        UnsupportedChainError: The chain is a tree.
        InvalidArgumentError: A tolerance is infinite.
    """
    if prefer is None:
        return None
    check_names("prefer", [prefer], PREFERRED)
    if not isinstance(chain, KinematicChain):
        raise UnsupportedChainError(
            "prefer is for chains with one tip, not for trees: leave the orientation free with "
            "region=TaskSpaceRegion.position_only(), or follow a target with track(), which puts "
            "positions first where there are too few joints"
        )
    if np.isinf(tolerances).any():
        raise InvalidArgumentError(
            "prefer goes with finite tolerances: what is free has no error to make small"
        )
    return prefer


def check_goal(prefer: str | None, region: object, alternatives: int = 0) -> None:
    """Check that a call of a solver that prefers something is for poses.

    Raises:
        InvalidArgumentError: It is for regions or a goal set.
    """
    if prefer is not None and (region is not None or alternatives):
        what = "goal sets" if region is None else "regions, which say themselves what is free"
        raise InvalidArgumentError(
            f"prefer is for poses, not for {what}: use a solver without prefer"
        )


def with_approximations(stages: Stages, prefer: str | None) -> Stages:
    """Return the stages of a chain, with those of a search for approximations if one is wanted."""
    if prefer is None:
        return stages
    chain, one = stages.chain, stages.refiner
    tolerances = one.tolerances
    kept = (tolerances[0], np.inf) if prefer == POSITION else (np.inf, tolerances[1])
    refiner, verifier = LevenbergMarquardt(chain, *kept), Verifier(chain)
    weight = one.orientation_weight if prefer == POSITION else one.position_weight
    floats, ints = chain.core.problem(
        refiner.options, *kept, chain.reach + kept[0], redundant=False
    )
    preferred = 1 + PREFERRED.index(prefer)
    problem = np.append(floats, weight), np.append(ints, preferred)
    nearly = replace(
        stages, sampler=QuasiRandom(chain), refiner=refiner, verifier=verifier, held=3,
        redundant=False, problem=problem, makes_seeds=True, branches=None,
        curves=None, for_one=None, deficient=False,
        preference=Preference(2 - preferred, tolerances),
    )  # fmt: skip
    return replace(stages, approximate=nearly)


def approximated(stages: Stages, request: SolveRequest, exact: Outcome, start: float) -> Outcome:
    """Return what was found for a call that began at `start` [s], with approximations.

    Args:
        stages: Those of the search for approximations.
        request: The call.
        exact: What was found of exact solutions; targets without any are approximated.
        start: Reading of `time.perf_counter` [s].
    """
    rows = (exact.notes[:, 0] == 0).nonzero()[0]
    if not len(rows):
        return exact
    asked = request.of(rows)._replace(preferences=request.preferences._replace(optimize=False))
    complete = exact.notes[rows, 2].copy()
    if asked.seed_states is not None:
        found = one_by_one(asked, partial(_nearest, stages), start, stages.chain.num_joints)
    else:
        found = _nearest(stages, asked, start)
    none = found.notes[:, 0] == 0
    found.notes[none, 2] = complete[none]
    return exact.completed(rows, found, request.space.reference)


def _nearest(stages: Stages, request: SolveRequest, start: float) -> Outcome:
    """Return the approximations of all targets of a call that began at `start` [s]."""
    preference = stages.preference
    assert preference is not None  # noqa: S101
    found = find(stages, request, start)
    some = found.notes[:, 0] > 0
    # What turns out to be exact is a solution like any other.
    only_near = some & ~preference.exact(found.errors[:, 0])
    found.notes[only_near, 1] = NEAREST
    return found
