"""The clusters that samples of a pose form, counted as GGIK's papers count solutions."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_ros.array_types import Floats


def chordal_distances(space: JointSpace, positions: Floats) -> Floats:
    """Return the distances (N, N) of configurations (N, n) in the product of rotation groups.

    The chordal distance of two rotations by angles that differ by t is the Frobenius norm of the
    difference of their matrices, 2 sqrt(2) |sin(t / 2)| (R. Hartley et al., Rotation averaging,
    IJCV 2013); the product metric is the Euclidean norm over the joints. Joints that are no
    circles contribute sqrt(2) times their scaled difference, which chords approach.
    """
    gap = (positions[:, None] - positions[None]) / space.scale
    squared = np.where(space.circular, 8.0 * np.sin(gap / 2.0) ** 2, 2.0 * gap**2)
    return np.sqrt(squared.sum(axis=-1))


def cluster_count(space: JointSpace, positions: Floats, radius: float) -> int:
    """Count the clusters of the samples of one pose, as GGIK counts a UR10's solutions.

    GGIK (T-RO, section V-D, figure 7): DBSCAN of 32 samples of each of 2,000 poses, chordal
    distance on the product of circles, "minimum cluster size set to one", three radii. With a
    minimum of one every sample is a core, there is no noise, and the clusters are the connected
    components of the samples no further apart than the radius. The section's text names no radius
    and no constant of the chordal distance, so the radius has to be stated; a good one is far
    above the samples' errors and far below the distance of two branches.

    Args:
        space: `JointSpace.torus` for the paper's product of circles.
        positions: (N, n) configurations [rad or m].
        radius: DBSCAN's epsilon, for `chordal_distances`; for near pairs sqrt(2) times the joint
            distance [rad].
    """
    return int(connected_components(chordal_distances(space, positions) <= radius)[0])
