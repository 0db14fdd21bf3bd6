"""Sampled configurations of a pose in, the clusters that they form out."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_ros.errors import MissingDependencyError


def chordal_distances(space: JointSpace, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances (N, N) of configurations (N, n) in the product of rotation groups.

    The chordal distance of two rotations by angles that differ by t is the Frobenius norm of the
    difference of their matrices, 2 sqrt(2) |sin(t / 2)| (R. Hartley et al., Rotation averaging,
    IJCV 2013); the product metric is the Euclidean norm over the joints. Joints that are no
    circles contribute sqrt(2) times their scaled difference, which is what chords are close by.
    """
    gap = (positions[:, None] - positions[None]) / space.scale
    squared = np.where(space.circular, 8.0 * np.sin(gap / 2.0) ** 2, 2.0 * gap**2)
    return np.sqrt(squared.sum(axis=-1))


def cluster_labels(
    space: JointSpace, positions: NDArray[np.float64], radius: float, min_samples: int = 1
) -> NDArray[np.int64]:
    """Cluster the samples of one pose by DBSCAN, as GGIK does to count a UR10's solutions.

    GGIK (T-RO, section V-D, figure 7): 32 samples of each of 2,000 poses, chordal distance on
    the product of circles, "minimum cluster size set to one", three radii. The section's text
    names no radius and no constant of the chordal distance, so the radius has to be stated; a
    good one is far above the samples' errors and far below the distance of two branches. With
    `min_samples=1` every sample is a core, there is no noise, and clusters are the connected
    components of the samples linked below the radius.

    Args:
        space: `JointSpace.torus` for the paper's product of circles.
        positions: (N, n) configurations [rad or m].
        radius: DBSCAN's epsilon, for `chordal_distances`; for near pairs sqrt(2) times the joint
            distance [rad].
        min_samples: Neighbours, itself included, that make a sample a core.

    Returns:
        (N,) cluster of each sample from 0, or -1 for noise.

    Raises:
        MissingDependencyError: scikit-learn is not installed.
    """
    try:
        from sklearn.cluster import DBSCAN
    except ImportError as error:
        raise MissingDependencyError(
            "cluster counts need scikit-learn, which is not installed: "
            "pip install 'generative_ik_ros[bench]' (or: pip install scikit-learn)"
        ) from error
    if not len(positions):
        return np.empty(0, np.int64)
    clustering = DBSCAN(eps=radius, min_samples=min_samples, metric="precomputed")
    return clustering.fit_predict(chordal_distances(space, positions)).astype(np.int64)


def cluster_count(
    space: JointSpace, positions: NDArray[np.float64], radius: float, min_samples: int = 1
) -> int:
    """Count the clusters, noise left out; see `cluster_labels`."""
    labels = cluster_labels(space, positions, radius, min_samples)
    return int(labels.max(initial=-1)) + 1
