"""A mixture of Gaussians, fitted by expectation maximization."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from generative_ik_ros.array_types import Floats

_LOG_TURN = np.log(2.0 * np.pi)
_NONE = 1e-12
"""Share of a point that is none."""


@dataclass(frozen=True)
class MixtureTuning:
    """How a mixture is fitted."""

    counts: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    """Numbers of Gaussians that are tried, until one more explains held out points no better."""
    iterations: int = 30
    gain: float = 1e-2
    """Increase of the mean log-likelihood below which no further iteration is made."""


TUNING = MixtureTuning()


@dataclass(frozen=True)
class GaussianMixture:
    """A density over points of D coordinates.

    Attributes:
        shares: (K,) of the Gaussians.
        means: (K, D).
        factors: (K, D, D) lower Cholesky factors of their covariances.
    """

    shares: Floats
    means: Floats
    factors: Floats

    @classmethod
    def best(cls, points: Floats, held_out: Floats, floor: float) -> "GaussianMixture":
        """Fit points (N, D) with the number of Gaussians that explains others (H, D) best.

        Args:
            points: To learn from.
            held_out: To compare the numbers by.
            floor: Standard deviation that is added in all directions.
        """
        best, most = None, -np.inf
        for count in TUNING.counts:
            mixture = cls.fitted(points, min(count, len(points)), floor)
            likelihood = mixture.log_density(held_out).mean()
            if best is not None and not likelihood > most:
                break
            best, most = mixture, likelihood
        assert best is not None  # noqa: S101
        return best

    @classmethod
    def fitted(cls, points: Floats, count: int, floor: float) -> "GaussianMixture":
        """Fit so many Gaussians to points (N, D); the same points give the same mixture.

        A. Dempster, N. Laird, D. Rubin, Maximum likelihood from incomplete data via the EM
        algorithm, 1977; each Gaussian begins at the point furthest from those before.
        """
        centres = _far_apart(points, count)
        nearest = np.square(points[:, None] - centres).sum(axis=2).argmin(axis=1)
        mixture = cls._maximized(points, np.eye(count)[nearest], floor)
        last = -np.inf
        for _ in range(TUNING.iterations):
            logs = mixture._log_shares(points)
            whole = np.logaddexp.reduce(logs, axis=1, keepdims=True)
            if whole.mean() - last < TUNING.gain:
                break
            last = whole.mean()
            mixture = cls._maximized(points, np.exp(logs - whole), floor)
        return mixture

    @classmethod
    def _maximized(cls, points: Floats, weights: Floats, floor: float) -> "GaussianMixture":
        """Return the mixture of which points (N, D) belong to each Gaussian by weights (N, K)."""
        sums = weights.sum(axis=0) + np.finfo(float).tiny
        means = (weights.T @ points) / sums[:, None]
        factors = np.empty((len(sums), points.shape[1], points.shape[1]))
        for k, mean in enumerate(means):
            own = weights[:, k] > _NONE
            gaps = points[own] - mean
            covariance = (gaps * weights[own, k, None]).T @ gaps / sums[k]
            factors[k] = np.linalg.cholesky(covariance + floor**2 * np.eye(len(mean)))
        return cls(sums / len(points), means, factors)

    def log_density(self, points: Floats) -> Floats:
        """Return the logarithm of the density at points (N, D), (N,) [nats]."""
        return np.logaddexp.reduce(self._log_shares(points), axis=1)

    def _log_shares(self, points: Floats) -> Floats:
        logs = np.empty((len(points), len(self.shares)))
        for k, (mean, factor) in enumerate(zip(self.means, self.factors, strict=True)):
            apart = solve_triangular(factor, (points - mean).T, lower=True, check_finite=False)
            squared = np.square(apart).sum(axis=0) + 2.0 * np.log(np.diagonal(factor)).sum()
            logs[:, k] = np.log(self.shares[k]) - 0.5 * (squared + len(mean) * _LOG_TURN)
        return logs


def _far_apart(points: Floats, count: int) -> Floats:
    """Return (count, D) of some points, each the furthest from those before."""
    chosen = [points[np.square(points - points.mean(axis=0)).sum(axis=1).argmin()]]
    nearest = np.full(len(points), np.inf)
    while len(chosen) < count:
        nearest = np.minimum(nearest, np.square(points - chosen[-1]).sum(axis=1))
        chosen.append(points[nearest.argmax()])
    return np.array(chosen)
