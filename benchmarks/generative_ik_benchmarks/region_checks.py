"""Independent checks of configurations whose tips are claimed to be in a region."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.region_specs import RegionSpec
from generative_ik_benchmarks.verification import Checker

_STRICT = 1e-9
"""Beyond a bound by more than this is outside of it [m or rad]."""


@dataclass(frozen=True)
class RegionChecker(Checker):
    """Checks whether configurations put the tip into a region about a target.

    Attributes:
        spec: The region.
    """

    spec: RegionSpec = field(kw_only=True)

    def errors(
        self, tip_in_base: NDArray[np.float64], positions: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Measure how far tips are outside of the region about the target (4, 4), (N,) each."""
        return self.spec.excess(self._tip_in_target(tip_in_base, positions))

    def outside(self, target: NDArray[np.float64], positions: NDArray[np.float64]) -> int:
        """Count tips beyond a bound that is not held, for which no tolerance is needed."""
        return int(self.spec.beyond(self._tip_in_target(target, positions), _STRICT).sum())

    def _tip_in_target(
        self, target: NDArray[np.float64], positions: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return np.linalg.inv(target) @ self.oracle.forward(positions)
