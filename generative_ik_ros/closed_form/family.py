"""Which arms have a closed form: the families, and how a chain is recognised as one of them."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import ClosedForm
from generative_ik_ros.closed_form.axes import AxesAtZero, why_not_plain
from generative_ik_ros.closed_form.locked_joint import LockedJoint, find_locked_joint
from generative_ik_ros.closed_form.six_joints import find_form
from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class Family:
    """A chain's closed form.

    Attributes:
        name: What a user may read.
        kernel: The family's code: `kernel.find(parameters, tip_pose, branches)`.
        parameters: (p,) what it needs of the chain, contiguous.
        moved: By how much lines of the chain were moved to be of the family, see `AxesAtZero`;
            errors of branches come from that.
    """

    name: str
    kernel: ClosedForm
    parameters: NDArray[np.float64]
    moved: float


_SINGULAR = 1e-6
"""Least singular value of a Jacobian, over the largest, of an arm that is not singular."""
_FOUND: WeakKeyDictionary[KinematicChain, Family | None] = WeakKeyDictionary()
_LOCKED: WeakKeyDictionary[KinematicChain, LockedJoint | None] = WeakKeyDictionary()


def find_family(chain: KinematicChain) -> Family | None:
    """Return a chain's closed form, None if it has none; `why_none` says why.

    It is kept as long as the chain: that of a general arm takes a tenth of a second to find.
    """
    if chain not in _FOUND:
        _FOUND[chain] = _find(chain)
    return _FOUND[chain]


def _find(chain: KinematicChain) -> Family | None:
    if _why_never(chain, 6) or (form := find_form(AxesAtZero.of(chain))) is None:
        return None
    return Family(*form)


def find_locked(chain: KinematicChain) -> LockedJoint | None:
    """Return the closed form that a chain of seven joints has with one of them locked, or None."""
    if chain not in _LOCKED:
        never = _why_never(chain, 7)
        _LOCKED[chain] = None if never else find_locked_joint(AxesAtZero.of(chain))
    return _LOCKED[chain]


def why_none(chain: KinematicChain) -> str:
    """Say why neither `find_family` nor `find_locked` finds anything for a chain."""
    if chain.prismatic.sum() > 3 and not why_not_plain(chain, (6, 7)):
        return _why_prismatic(chain)
    if reason := _why_never(chain, 6, 7) or _why_prismatic(chain):
        return reason
    if chain.num_joints == 7:
        return "leaves six axes of no special kind when its first or its last joint is locked"
    return (
        "has six axes of which so many intersect or are parallel that the polynomial of a general "
        "arm vanishes, but neither three at an end that intersect in one point nor three parallel "
        "ones next to an end"
    )


def _why_prismatic(chain: KinematicChain) -> str:
    """Say which prismatic joints are where no family takes them; empty if there are none."""
    sliding = np.flatnonzero(chain.prismatic)
    if chain.num_joints == 7:
        # With such an end locked the others are revolute, and the reason is another.
        sliding = sliding if len(sliding) != 1 or 0 < sliding[0] < 6 else sliding[:0]
    if not len(sliding):
        return ""
    several = "s" if len(sliding) > 1 else ""
    names = ", ".join(f"'{chain.names[joint]}'" for joint in sliding)
    places = "among the three joints before, or after, a spherical wrist"
    if chain.num_joints == 7:
        places = f"the first or the last joint, or, with an end locked, {places}"
    return f"has the prismatic joint{several} {names}: closed forms take one only as {places}"


def _why_never(chain: KinematicChain, *counts: int) -> str:
    """Say why no family for some numbers of joints can be a chain's; empty if one may be."""
    if reason := why_not_plain(chain, counts):
        return reason
    some = np.random.default_rng(0).uniform(-np.pi, np.pi, (8, chain.num_joints))
    sizes = np.linalg.svd(chain.jacobian(some), compute_uv=False)
    if (sizes[:, -1] < _SINGULAR * sizes[:, 0]).all():
        return "cannot move its tip in all six directions, wherever it is"
    return ""
