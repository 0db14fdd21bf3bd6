"""The native core: arrays in, arrays out."""

import numpy as np
from numpy.typing import NDArray

class ClosedForm:
    """A family of arms that have a closed form.

    Attributes:
        name: Of the family.
        address: Of its code, which takes the addresses of the three arrays that `find` takes.
        max_branches: Rows of memory that it needs.
    """

    @property
    def name(self) -> str: ...
    @property
    def address(self) -> int: ...
    @property
    def max_branches(self) -> int: ...
    def find(
        self,
        parameters: NDArray[np.float64],
        tip_pose: NDArray[np.float64],
        branches: NDArray[np.float64],
    ) -> int:
        """Write the branches of a pose to the first rows.

        Args:
            parameters: What the family takes of a chain, see `closed_form/family.py`.
            tip_pose: (4, 4) tip in base [m].
            branches: (max_branches or more, 6) out: values of the chain's variables before limits
                and turns are looked at [rad or m]. Rows behind them are of no meaning.

        Returns:
            How many, or -1 - count where the pose lies at, or within some 1e-5 [m or rad] of, a
            singular or continuous case, or of the border of where a branch exists: the branches
            are good, but there may be more. The same pose always gives the same branches.
        """

def closed_forms() -> list[ClosedForm]:
    """Return all families."""

def version() -> str:
    """Return the core's version, as "0.1.0"."""

def instruction_set() -> str:
    """Return the set of instructions that the lanes use on this processor.

    The widest that it has: "avx512", "avx2", "neon", or "baseline" for what every x86-64 has.
    """
