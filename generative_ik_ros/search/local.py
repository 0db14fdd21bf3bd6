"""The problem of paths and of optimisation: one tip, or several goals; see `refine.local`."""

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.search.goal_problem import unpack_goals
from generative_ik_ros.search.problem import unpack
from generative_ik_ros.select.verify import pose_error
from generative_ik_ros.select.verify_goals import goal_errors

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)


@inlined
def unpacked(poses, floats, ints):
    """Return the problem that was packed."""
    if poses.ndim == 3:
        return unpack(floats, ints)
    return unpack_goals(floats, ints)


@inlined
def verified(poses, problem, q, t, memory):
    """Measure a configuration by independent forward kinematics.

    Returns:
        Distance [m], angle [rad], and whether it is a solution of target t.
    """
    if poses.ndim == 3:
        position, angle = pose_error(problem.verifier, q, poses[t])
        inside = True
    else:
        checks = problem.checks[t if problem.checks.shape[0] > 1 else 0]
        tolerances = problem.position_tolerance, problem.orientation_tolerance
        position, angle, inside = goal_errors(
            problem.verifier, problem.chain.bounded, checks, tolerances, q, poses[t], memory
        )
    exact = position <= problem.position_tolerance and angle <= problem.orientation_tolerance
    return position, angle, exact and inside
