"""Property tests with random arms and poses: solutions are correct, errors are defined.

TRUST_EXAMPLES=20000 runs that many examples of each property instead of the few of `make test`.
"""

import os

import numpy as np
import pytest
from any_arm import arms, poses
from clock import in_time
from hypothesis import given, settings
from hypothesis import strategies as st
from robots import bounds_of

from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.verification import Checker
from generative_ik_ros import IKSolver, SolveStatus
from generative_ik_ros.errors import GenerativeIKError

pytest.importorskip("pinocchio")
LATE = 0.15
"""Time beyond a deadline that the test grants the machine [s]; other work may hold its cores."""


def examples(few):
    long = int(os.environ.get("TRUST_EXAMPLES", "0"))
    return settings(settings.get_profile("trust"), max_examples=long or few)


def checker_of(arm, solver):
    chain = arm.chain
    oracle = Oracle(arm.urdf, chain.base_link, chain.tip_link, chain.joint_names)
    tolerances = solver.position_tolerance, solver.orientation_tolerance
    # Two of one solution are no further apart than this in any joint; a hair less, for rounding.
    return Checker(oracle, chain, *tolerances, duplicate_distance=solver.distinct_distance - 1e-9)


def check(arm, solver, targets, found, wanted):
    """Check every guarantee of IKSolutions; return the number of solutions."""
    checker, chain = checker_of(arm, solver), arm.chain
    for t, target in enumerate(targets):
        solutions, count = found.of(t), int(found.counts[t])
        faults = checker.violations(target, solutions)
        assert not faults.total, (faults, arm.urdf, target.tolist())
        assert (solutions >= chain.lower).all() and (solutions <= chain.upper).all()
        assert np.isnan(found.positions[t, count:]).all() and count <= wanted
        enough = count == wanted or (count > 0 and bool(found.complete[t]))
        assert (found.status[t] is SolveStatus.SOLVED) == enough
        assert (found.status[t] is SolveStatus.PARTIAL) == (count > 0 and not enough)
        assert (found.position_error[t, :count] <= solver.position_tolerance).all()
        assert (found.orientation_error[t, :count] <= solver.orientation_tolerance).all()
        closest = found.best_effort[t]
        assert (closest >= chain.lower).all() and (closest <= chain.upper).all()
        assert np.isfinite(found.best_effort_position_error[t])
    return int(found.counts.sum())


TOLERANCES = st.sampled_from(
    [(1e-5, 1e-5)] * 4 + [(1e-8, 1e-8), (1e-3, 0.1), (1e-4, np.inf), (np.inf, 1e-4)]
)


@examples(100)
@given(st.data())
def test_every_solution_is_correct_inside_the_limits_and_distinct(tried, data):
    arm = data.draw(arms())
    chain = arm.chain
    solver = IKSolver(chain, "auto", "auto", *data.draw(TOLERANCES))
    named = data.draw(st.lists(poses(chain), min_size=1, max_size=3))
    targets = np.stack([pose for _, pose in named])
    wanted = data.draw(st.sampled_from([1, 2, 20]))
    timeout = data.draw(st.sampled_from([0.002, 0.05, 0.2]))
    found = in_time(lambda: solver.solve(targets, wanted, timeout=timeout), timeout + LATE)
    tried["solutions checked by pinocchio"] += check(arm, solver, targets, found, wanted)
    tried["random arms"] += 1
    tried["poses"] += len(targets)
    for kind, _ in named:
        tried[f"poses '{kind}'"] += 1
    for (kind, target), count in zip(named, found.counts, strict=True):
        if kind == "too far" and np.isfinite(solver.position_tolerance):
            assert count == 0
        if kind in ("reached", "at limits", "in the middle", "seam"):
            # One is found where there is one, given time; at limits and singular poses too.
            tried["reachable poses"] += 1
            found_later = count or solver.solve(target, 1, timeout=20.0).counts[0]
            assert found_later, (kind, arm.urdf, target.tolist())


@examples(50)
@given(st.data())
def test_seeds_and_consistency_limits(tried, data):
    arm = data.draw(arms(most=8))
    chain = arm.chain
    n = chain.num_joints
    kind, target = data.draw(poses(chain))
    solver = IKSolver(chain)
    # Also far outside the limits.
    seed = np.array(data.draw(st.lists(st.floats(-10.0, 10.0), min_size=n, max_size=n)))
    limits = data.draw(
        st.none()
        | st.lists(st.sampled_from([0.0, 1e-6, 0.1, 1.0, np.inf]), min_size=n, max_size=n).map(
            np.array
        )
    )
    try:
        found = in_time(
            lambda: solver.solve(target, 10, seed, limits, timeout=0.1, random_seed=3), 0.1 + LATE
        )
    except GenerativeIKError as error:
        assert "seed_state is further outside" in str(error) and limits is not None
        return
    tried["solutions checked by pinocchio"] += check(arm, solver, target[None], found, 10)
    tried["random arms"] += 1
    solutions = found.of(0)
    seed = np.where(chain.continuous, seed, np.clip(seed, chain.lower, chain.upper))
    if limits is not None and len(solutions):
        assert (np.abs(solutions - seed) <= limits + 1e-9).all()
    distances = np.linalg.norm(solutions - seed, axis=1)
    assert (np.diff(distances) >= -1e-12).all()


@examples(20)
@given(st.data())
def test_paths(tried, data):
    """Configurations along a path are correct, and no step is longer than allowed."""
    arm = data.draw(arms(most=7))
    chain = arm.chain
    lower, upper = bounds_of(chain)
    n = chain.num_joints
    ends = np.array(data.draw(st.lists(st.floats(0, 1), min_size=2 * n, max_size=2 * n)))
    ends = lower + ends.reshape(2, n) * (upper - lower)
    share = np.linspace(0.0, 0.2, 6)[:, None]
    targets = chain.forward(ends[0] + share * (ends[1] - ends[0]))
    solver = IKSolver(chain)
    path = in_time(lambda: solver.solve_path(targets, ends[0], timeout=0.3), 0.3 + LATE)
    checker = checker_of(arm, solver)
    reached = path.positions[: path.num_reached]
    for target, positions in zip(targets, reached, strict=False):
        assert not checker.wrong_or_outside(target, positions[None]).total
    steps = np.abs(np.diff(reached, axis=0)) - 0.2 * chain.joint_units
    assert (steps <= 1e-12).all()
    assert np.isnan(path.positions[path.num_reached :]).all()
    tried["paths"] += 1
    tried["poses of paths"] += path.num_reached


@examples(25)
@given(arms(most=5), st.sampled_from([np.nan, np.inf, -np.inf, 1e300, -1e17]), st.integers(0, 15))
def test_seeds_of_a_bad_sampler_lead_to_no_false_solutions(tried, arm, value, where):
    """A sampler may propose anything: solutions are correct, or there are none."""
    solver = IKSolver(arm.chain, "uniform")
    propose = solver.sampler.propose

    def spoiled(request):
        seeds = propose(request).copy()
        seeds[:, where % 3 :: 3] = value
        return seeds

    solver.sampler.propose = spoiled
    lower, upper = bounds_of(arm.chain)
    target = arm.chain.forward(0.4 * lower + 0.6 * upper)
    found = solver.solve(target, 5, timeout=0.5)
    tried["solutions checked by pinocchio"] += check(arm, solver, target[None], found, 5)
