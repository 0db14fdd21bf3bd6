"""What an ascent asks of the goals of its climbers: which directions are free, and manipulability.

As in `refine.local`, the dimension of `poses` tells a chain's one tip from the goals of a tree, or
regions. The Jacobian of goals is taken from the local solver's vector lanes.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.paths.null_space import null_basis, weighted_jacobian
from generative_ik_ros.refine.goals.measure import measure_goals
from generative_ik_ros.refine.goals.move import write_columns
from generative_ik_ros.refine.local import load_target
from generative_ik_ros.robot.region_rows import FREE_ANGLE, Rotation
from generative_ik_ros.search.scores import volume

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false

_KIND, _HALF_SINE = 6, 11
"""Places in a region's row; see `region_rows.solver_row`."""


def opened(regions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return regions (..., 18) without the bounds that leave room, only what is held.

    A solution on a bound may move inside as well as along it; what leaves the region comes back to
    it, like all trials.
    """
    rows = regions.copy()
    for lower, upper, free in ((0, 3, np.inf), (12, 15, FREE_ANGLE)):
        wide = rows[..., upper : upper + 3] > rows[..., lower : lower + 3]
        rows[..., lower : lower + 3][wide], rows[..., upper : upper + 3][wide] = -free, free
    cone = (rows[..., _KIND] == Rotation.CONE) & (rows[..., _HALF_SINE] > 0.0)
    rows[..., _KIND][cone] = Rotation.FREE
    return rows


def held_coordinates(regions: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many coordinates of position and rotation opened regions (..., 18) hold."""
    position = (regions[..., :3] == regions[..., 3:6]).sum(axis=-1)
    angles = (regions[..., 12:15] == regions[..., 15:18]).sum(axis=-1)
    kind = regions[..., _KIND]
    others = np.select([kind == Rotation.EXACT, kind == Rotation.CONE], [3, 2], 0)
    return position, np.where(kind == Rotation.ANGLES, angles, others)


@inlined
def measure_climbers(poses, regions, state, some):
    """Have the lanes hold the Jacobian of what the goals of at most eight climbers hold."""
    if poses.ndim == 4:
        problem, buffer, layout = state.problem, state.buffer, state.layout
        for lane in range(some.shape[0]):
            q = state.rows[0, some[lane]]
            for v in range(q.shape[0]):
                buffer[v * WIDTH + lane] = q[v]
            load_target(poses, regions, buffer, layout, lane, state.climbers[some[lane]].target)
        measure_goals(problem.chain, problem.options, buffer, layout)
        write_columns(problem.chain, problem.options, buffer, layout)


@inlined
def write_directions(poses, state, q, lane):
    """Write a basis of the directions, in joint units, that leave the goals as they are at q."""
    options, jacobian = state.problem.options, state.jacobian
    if poses.ndim == 3:
        # Per joint unit, whose inverse is the weight.
        weighted_jacobian(state.problem.verifier, q, state.scale.per_unit, state.axes, jacobian)
    else:
        tree = state.problem.chain
        for g in range(poses.shape[1]):
            for v in range(q.shape[0]):
                row = state.layout.jacobian + 6 * tree.column[g, v]
                for k in range(6):
                    moves = tree.column[g, v] >= 0
                    jacobian[6 * g + k, v] = (
                        state.buffer[(row + k) * WIDTH + lane] if moves else 0.0
                    )
    position, orientation = options.position_weight > 0.0, options.orientation_weight > 0.0
    null_basis(jacobian, state.basis, position, orientation)


@inlined
def manipulability_of(poses, state, q, lane):
    """Return the product of the singular values of the Jacobian; that of goals is in a lane."""
    jacobian = state.jacobian
    if poses.ndim == 3:
        weighted_jacobian(state.problem.verifier, q, state.scale.one, state.axes, jacobian)
    else:
        _velocities(state.problem.chain, state.buffer, state.layout, lane, jacobian)
    return volume(jacobian) if q.shape[0] >= jacobian.shape[0] else volume(jacobian.T)


@inlined
def _velocities(tree, buffer, rows, lane, jacobian):
    """Write what each variable moves the tips against their references, from the joints placed."""
    jacobian[:] = 0.0
    begin = 0
    for g in range(tree.tip_slot.shape[0]):
        at = (rows.tip + 3 * g) * WIDTH + lane
        for p in range(begin, tree.path_end[g]):
            j = tree.path[p, 0]
            v, unit = tree.variable[j], tree.multiplier[j] * tree.path[p, 1]
            row = (rows.axes + 6 * j) * WIDTH + lane
            ax, ay, az = buffer[row], buffer[row + WIDTH], buffer[row + 2 * WIDTH]
            if tree.prismatic[j]:
                moved = ax, ay, az
            else:
                x = buffer[at] - buffer[row + 3 * WIDTH]
                y = buffer[at + WIDTH] - buffer[row + 4 * WIDTH]
                z = buffer[at + 2 * WIDTH] - buffer[row + 5 * WIDTH]
                moved = ay * z - az * y, az * x - ax * z, ax * y - ay * x
                jacobian[6 * g + 3, v] += ax * unit
                jacobian[6 * g + 4, v] += ay * unit
                jacobian[6 * g + 5, v] += az * unit
            jacobian[6 * g, v] += moved[0] * unit
            jacobian[6 * g + 1, v] += moved[1] * unit
            jacobian[6 * g + 2, v] += moved[2] * unit
        begin = tree.path_end[g]
