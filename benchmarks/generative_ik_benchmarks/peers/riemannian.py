"""The distance-geometric Riemannian solver: the rows of GraphIK in the papers of GGIK."""

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.peers.distance_graph import DistanceGraph
from generative_ik_benchmarks.solver import Solver, imported
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.robot.rigid import TURN


class Riemannian(Solver):
    """Completes the distances of a configuration's points by Riemannian trust regions.

    The row "GraphIK + rand" of GGIK's table IV (T-RO): F. Maric et al., Riemannian optimization
    for distance-geometric inverse kinematics, T-RO 2021. The Gram matrices of points in space are
    the positive semidefinite matrices of rank 3; on that quotient manifold (pymanopt's
    `PSDFixedRank`) the squared differences of squared distances are minimised from the points of
    a random configuration, with analytic gradient and Hessian. Angles follow from the points.

    Distances do not tell a link from its mirror image, and joint limits are not part of the
    problem: such an outcome is a failed start. As in GGIK, 1 cm and 1 degree are a success.

    Raises:
        MissingDependencyError: `pymanopt` is not installed.
        UnsupportedChainError: It cannot take the chain.
    """

    name = "Riemannian, distances"
    position_tolerance, orientation_tolerance = 1e-2, np.deg2rad(1.0)

    def __init__(self, chain: KinematicChain, starts: int = 1, seed: int = 0):
        """Define the points and the manifold."""
        optimizers = imported("pymanopt.optimizers", "pymanopt", "peer 'riemannian'")
        self._chain, self._graph = chain, DistanceGraph(chain)
        self._scale = chain.reach / 2.0 if chain.reach > 1e-9 else 1.0
        self._manifold = _gram_matrices(self._graph.num_points)
        self._optimizer = optimizers.TrustRegions(
            max_iterations=200, min_gradient_norm=1e-6, verbosity=0
        )
        self._lower, self._upper = finite_limits(chain)
        self._starts = starts
        self._rng = np.random.default_rng(seed)

    def solve(self, tip_in_base: Floats) -> Floats:
        """Return the first right configuration (1, n), or none (0, n), see `Solver`."""
        for _ in range(self._starts):
            q, _ = self.solve_from(tip_in_base, self._rng.uniform(self._lower, self._upper))
            q -= TURN * np.rint((q - (self._lower + self._upper) / 2.0) / TURN)
            if self._right(q, tip_in_base):
                return q[None]
        return np.empty((0, self._chain.num_joints))

    def solve_from(self, tip_in_base: Floats, q: Floats) -> tuple[Floats, int]:
        """Return the configuration (n,) reached from a start (n,), and the iterations."""
        problem = self._problem(self._graph.squared_distances(tip_in_base) / self._scale**2)
        start = self._graph.points(q) / self._scale
        result = self._optimizer.run(problem, initial_point=start - start.mean(axis=0))
        reached = self._graph.configuration(result.point * self._scale, tip_in_base)
        return reached, result.iterations

    def _right(self, q: Floats, tip_in_base: Floats) -> bool:
        distance, angle = pose_errors(self._chain.forward, q, tip_in_base)
        near, turned = distance <= self.position_tolerance, angle <= self.orientation_tolerance
        inside = ((q >= self._chain.lower) & (q <= self._chain.upper)).all()
        return bool(near and turned and inside)

    def _problem(self, squared: Floats):  # noqa: ANN202 (pymanopt's own type)
        """Return half the sum of the squared errors of the squared distances, as a problem."""
        import pymanopt

        unit = np.eye(self._graph.num_points)
        incidence = unit[self._graph.edges[:, 0]] - unit[self._graph.edges[:, 1]]

        def differences(points: Floats) -> Floats:
            return incidence @ points

        def gathered(weights: Floats, gaps: Floats) -> Floats:
            """Sum 2 * weight * gap over the edges of each point, with the sign of its end."""
            return incidence.T @ (2.0 * weights[:, None] * gaps)

        def residuals(gaps: Floats) -> Floats:
            return (gaps**2).sum(axis=1) - squared

        @pymanopt.function.numpy(self._manifold)
        def cost(points):  # noqa: ANN001, ANN202
            return 0.5 * (residuals(differences(points)) ** 2).sum()

        @pymanopt.function.numpy(self._manifold)
        def gradient(points):  # noqa: ANN001, ANN202
            gaps = differences(points)
            return gathered(residuals(gaps), gaps)

        @pymanopt.function.numpy(self._manifold)
        def hessian(points, tangent):  # noqa: ANN001, ANN202
            gaps, changes = differences(points), differences(tangent)
            slopes = 2.0 * (gaps * changes).sum(axis=1)
            return gathered(slopes, gaps) + gathered(residuals(gaps), changes)

        return pymanopt.Problem(
            self._manifold, cost, euclidean_gradient=gradient, euclidean_hessian=hessian
        )


def _gram_matrices(count: int):  # noqa: ANN202 (pymanopt's own type)
    """Return the manifold of the Gram matrices of points in space."""
    from pymanopt.manifolds import PSDFixedRank

    class GramMatrices(PSDFixedRank):
        """The same manifold; its projection solved for 3 x 3 matrices by hand, much faster."""

        def projection(self, point: Floats, vector: Floats) -> Floats:
            """Remove the part that only rotates the points."""
            values, basis = np.linalg.eigh(point.T @ point)
            product = point.T @ vector
            skew = basis.T @ (product - product.T) @ basis / (values[:, None] + values)
            return vector - point @ (basis @ skew @ basis.T)

        to_tangent_space = projection

    return GramMatrices(count, 3)


def solvers(case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    """Return it with one start, as in the paper's table, and with eight."""
    once, often = (Riemannian(case.chain, starts, seed=seed) for starts in (1, 8))
    often.name = f"{often.name}, 8 starts"
    return [once, often]
