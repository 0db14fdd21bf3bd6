"""Which chains have a closed form, as the core recognises them by how their joint axes lie."""

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.robot.chain import KinematicChain


class Family(NamedTuple):
    """A chain's closed form: of six joints, or of seven with the first or the last one locked.

    Attributes:
        name: What a user may read.
        kernel: The family's code: `kernel.find(parameters, tip_poses)`.
        parameters: (p,) what it needs of the chain, contiguous; before that 13 numbers of the
            locked joint, see `core/include/generative_ik/closed_form.hpp`.
        moved: By how much lines of the chain were moved to be exactly parallel or perpendicular
            [rad] or to intersect exactly [shares of its length]; errors of branches come from
            that.
        joint: Index of the locked joint; None if none is.
    """

    name: str
    kernel: _core.ClosedForm
    parameters: NDArray[np.float64]
    moved: float
    joint: int | None


_FOUND: WeakKeyDictionary[KinematicChain, Family | None] = WeakKeyDictionary()


def find_family(chain: KinematicChain) -> Family | None:
    """Return the closed form of a chain of six joints, None if it has none; `why_none` says why.

    It is kept as long as the chain: that of a general arm takes some milliseconds to find.
    """
    return _found(chain) if chain.num_joints == 6 else None


def find_locked(chain: KinematicChain) -> Family | None:
    """Return the closed form that a chain of seven joints has with one of them locked, or None."""
    return _found(chain) if chain.num_joints == 7 else None


def why_none(chain: KinematicChain) -> str:
    """Say why neither `find_family` nor `find_locked` finds anything for a chain."""
    return _core.why_no_closed_form(*closed_form_arrays(chain))


def _found(chain: KinematicChain) -> Family | None:
    if chain not in _FOUND:
        found = _core.find_closed_form(*closed_form_arrays(chain))
        _FOUND[chain] = None if found is None else Family(*found)
    return _FOUND[chain]


def closed_form_arrays(chain: KinematicChain) -> tuple[Any, ...]:
    """Return what the core takes of a chain."""
    return (
        chain.names, chain.lower, chain.upper, chain.joint_origins, chain.joint_axes,
        chain.joint_prismatic, chain.joint_variable, chain.joint_multiplier, chain.joint_offset,
        chain.tip_in_last_joint,
    )  # fmt: skip
