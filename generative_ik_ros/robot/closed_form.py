"""Which chains have a closed form, as the core recognises them by how their joint axes lie."""

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain

if TYPE_CHECKING:
    from generative_ik_ros.robot.kinematic_tree import KinematicTree


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
    parameters: Floats
    moved: float
    joint: int | None

    @property
    def is_special(self) -> bool:
        """Whether the arm is of a special kind, whose branches take 5 us at the most."""
        return self.kernel.name != "general_arm"


_FOUND: WeakKeyDictionary[KinematicChain, Family | None] = WeakKeyDictionary()


def find_family(chain: KinematicChain) -> Family | None:
    """Return the closed form of a chain of six joints, None if it has none; `why_none` says why.

    It is kept as long as the chain: that of a general arm takes some milliseconds to find.
    """
    return _found(chain) if chain.num_joints == 6 else None


def find_locked(chain: KinematicChain) -> Family | None:
    """Return the closed form that a chain of seven joints has with one of them locked, or None."""
    return _found(chain) if chain.num_joints == 7 else None


def find_limbs(tree: "KinematicTree") -> bool:
    """Return whether a tree's limbs share no joint and have closed forms; else `why_no_limbs`.

    Of limbs of seven joints these have to be some that take few microseconds.
    """
    return tree.has_own_joints and all(map(_serves_limb, tree.chains))


def _serves_limb(chain: KinematicChain) -> bool:
    locked = find_locked(chain)
    return find_family(chain) is not None or (locked is not None and locked.is_special)


def why_no_limbs(tree: "KinematicTree") -> str:
    """Say why `find_limbs` finds none in a tree."""
    if tree.closures:
        return "has loops"
    if not tree.has_own_joints:
        return "has joints that move several tips"
    chain = next(chain for chain in tree.chains if not _serves_limb(chain))
    if find_locked(chain) is not None:
        return f"has a limb to '{chain.tip_link}' of seven joints that takes long in closed form"
    return f"has a limb to '{chain.tip_link}' that {why_none(chain)}"


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
    return chain.core, chain.names, chain.lower, chain.upper
