"""Limbs of a tree: the joints at the end of the way to a tip that move no other tip."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.rigid import inverse


class Limb(NamedTuple):
    """The limb that a tip hangs on.

    Attributes:
        tip: Which tip.
        variables: (v,) those of its joints.
        root: The joint that carries it, -1 for the base.
    """

    tip: int
    variables: Ints
    root: int


def limbs_of(tree: KinematicTree) -> Iterator[Limb]:
    """Yield the limbs of a tree; tips that share all of their joints have none.

    A limb ends below the first joint that also moves another tip, or the reference of its own; a
    floating base is part of none.
    """
    moved = tree.core.moved_goals
    alone = moved.sum(axis=0) == 1
    alone[[tree.names.index(name) for name in tree.base_joints if name in tree.names]] = False
    variable = tree.joint_variable
    for tip in range(tree.num_tips):
        joint, joints = int(tree.tip_joint[tip]), []
        while joint >= 0 and alone[variable[joint]] and moved[tip, variable[joint]]:
            joints.append(joint)
            joint = int(tree.joint_parent[joint])
        variables = np.unique(variable[joints])
        # What a variable also moves elsewhere would move the limb's root.
        if joints and len(joints) == np.isin(variable, variables).sum():
            yield Limb(tip, variables.astype(np.int64), joint)


class StoredLimb(NamedTuple):
    """One limb of many configurations (N, n).

    Attributes:
        tip: Which tip.
        variables: (v,) those of its joints.
        roots: (N, 3, 4) the frames that it hangs from, in the tip's reference [m].
        tips: (N, 3, 4) the tips in these frames [m].
    """

    tip: int
    variables: Ints
    roots: Floats
    tips: Floats


def stored_limbs(tree: KinematicTree, positions: Floats) -> list[StoredLimb]:
    """Return the limbs of configurations (N, n) of a tree on a floating base [rad or m]."""
    frames, limbs = tree.joint_frames(positions), []
    for tip, variables, root in limbs_of(tree):
        reference = frames[:, tree.reference_joint[tip]] @ tree.reference_in_joint[tip]
        tips = frames[:, tree.tip_joint[tip]] @ tree.tip_in_joint[tip]
        carried = inverse(reference) @ frames[:, root], inverse(frames[:, root]) @ tips
        poses = (np.ascontiguousarray(pose[:, :3]) for pose in carried)
        limbs.append(StoredLimb(tip, variables, *poses))
    return limbs
