"""Problems of paths and of optimization in numba: one tip, or several goals (`refine.local`)."""

from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.borrow import shaped
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.refine.goals.rows import goal_rows
from generative_ik_ros.refine.goals.tree_arrays import GoalTree
from generative_ik_ros.refine.kernel_chain import KernelChain, KernelOptions
from generative_ik_ros.refine.lm_step import rows_of
from generative_ik_ros.robot.region_rows import CHECK_SIZE, SIZE
from generative_ik_ros.robot.rodrigues import RodriguesChain
from generative_ik_ros.robot.rodrigues_tree import RodriguesTree
from generative_ik_ros.search.goal_problem import FIXED, GoalProblem
from generative_ik_ros.search.problem import Box, Problem
from generative_ik_ros.select.verify_kernel import FRAME, goal_errors, pose_error

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false


def buffer_size(chain: KernelChain | GoalTree) -> int:
    """Return how many numbers the compiled local solver and the verification keep of seeds."""
    if isinstance(chain, KernelChain):
        return rows_of.py_func(chain).end * WIDTH + len(chain.scale)
    slots = int(chain.slot.max(initial=-1)) + 1
    return goal_rows.py_func(chain).end * WIDTH + len(chain.scale) + FRAME * slots


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


@inlined
def box_of(rows):  # noqa: ANN001, ANN201
    """Return the Box whose rows these are."""
    return Box(rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6])


@inlined
def unpack(floats, ints):  # noqa: ANN001, ANN201
    """Return the problem that was packed, as views into the two arrays."""
    m, n = ints[0], ints[1]
    prismatic, variable = ints[2 : 2 + m], ints[2 + m : 2 + 2 * m]
    a = 7 * m
    multiplier, offset = floats[a : a + m], floats[a + m : a + 2 * m]
    a += 2 * m
    chain = KernelChain(
        shaped(floats[: 7 * m], (m, 7)), prismatic, variable, multiplier, offset,
        floats[a : a + 7], floats[a + 7 : a + 7 + n],
    )  # fmt: skip
    a += 7 + n
    verifier = RodriguesChain(
        shaped(floats[a : a + 9 * m], (m, 3, 3)),
        shaped(floats[a + 9 * m : a + 18 * m], (m, 3, 3)),
        shaped(floats[a + 18 * m : a + 27 * m], (m, 3, 3)),
        shaped(floats[a + 27 * m : a + 30 * m], (m, 3)),
        shaped(floats[a + 30 * m : a + 33 * m], (m, 3)),
        prismatic, variable, multiplier, offset,
        shaped(floats[a + 33 * m : a + 33 * m + 16], (4, 4)),
    )  # fmt: skip
    o = floats[a + 33 * m + 16 :]
    options = KernelOptions(o[0], o[1], o[2], o[3], int(o[4]), o[5], o[6], int(o[7]), o[8])
    return Problem(chain, options, verifier, o[9], o[10], o[11], o[12] != 0.0)


@inlined
def unpack_goals(floats, ints):
    """Return the problem that was packed, as views into the two arrays."""
    m, n, g, p = ints[0], ints[1], ints[2], ints[3]
    o = floats[:FIXED]
    options = KernelOptions(o[0], o[1], o[2], o[3], int(o[4]), o[5], o[6], int(o[7]), o[8])
    f, i = floats[FIXED:], ints[4:]
    multiplier, offset = f[7 * m : 8 * m], f[8 * m : 9 * m]
    prismatic, variable, begin, slot = i[:m], i[m : 2 * m], i[2 * m : 3 * m], i[3 * m : 4 * m]
    i = i[4 * m :]
    tip_slot, reference_slot = i[:g], i[g : 2 * g]
    rest = i[2 * g :]
    path, path_end = shaped(rest[: 3 * p], (p, 3)), rest[3 * p : 3 * p + g]
    rest = rest[3 * p + g :]
    column, coupled = shaped(rest[: g * n], (g, n)), shaped(rest[g * n : g * n + g * g], (g, g))
    rest = rest[g * n + g * g :]
    s = f[9 * m :]
    tree = GoalTree(
        shaped(f[: 7 * m], (m, 7)), prismatic, variable, multiplier, offset, begin, slot, s[:n],
        tip_slot, shaped(s[n : n + 7 * g], (g, 7)), reference_slot,
        shaped(s[n + 7 * g : n + 14 * g], (g, 7)), path, path_end, column, coupled,
        rest[2 : 2 + g],
    )  # fmt: skip
    s = s[n + 14 * g :]
    t = s[33 * m :]
    verifier = RodriguesTree(
        shaped(s[: 9 * m], (m, 3, 3)), shaped(s[9 * m : 18 * m], (m, 3, 3)),
        shaped(s[18 * m : 27 * m], (m, 3, 3)), shaped(s[27 * m : 30 * m], (m, 3)),
        shaped(s[30 * m : 33 * m], (m, 3)), prismatic, variable, multiplier, offset, begin, slot,
        tip_slot, shaped(t[: 16 * g], (g, 4, 4)), reference_slot,
        shaped(t[16 * g : 32 * g], (g, 4, 4)),
    )  # fmt: skip
    r = rest[1]
    t = t[32 * g :]
    a, b = r * g * SIZE, r * g * (SIZE + CHECK_SIZE)
    return GoalProblem(
        tree, options, verifier, o[9], o[10], rest[0] != 0,
        shaped(t[:a], (r, g, SIZE)), shaped(t[a:b], (r, g, CHECK_SIZE)),
    )  # fmt: skip
