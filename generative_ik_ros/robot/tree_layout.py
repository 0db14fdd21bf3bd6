"""Which frames of a chain or tree are kept while its joints are placed one after another."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Ends = tuple[NDArray[np.int64], NDArray[np.float64]]
"""The joints that carry some frames, -1 for the base, and the frames in them, (G, 4, 4) [m]."""


class Slot(IntEnum):
    """What stands for the place of a frame that is not kept."""

    BASE = -1
    """It is the base."""
    SAME = -2
    """Of a joint: it is the moved frame of the joint with the index before."""
    IDENTITY = -2
    """Of a reference: it is the base, and nothing has to be done."""


@dataclass(frozen=True)
class TreeLayout:
    """A chain, or a tree of m joints with G goals, as the core walks through it.

    A goal is a tip whose pose is given in a reference. Slots are places where frames are kept.

    Attributes:
        parent: (m,) the joint before each joint, or -1.
        begin: (m,) slot of the frame that the joint begins from; BASE or SAME.
        slot: (m,) slot in which its moved frame is kept, or -1.
        tip_joint: (G,) last joint above each tip, or -1.
        tip: (G, 4, 4) the tip in that joint's moved frame, or in the base.
        tip_slot: (G,) slot of the frame that carries the tip; BASE.
        reference_joint: (G,) last joint above each reference, or -1.
        reference: (G, 4, 4) the reference in that joint's moved frame, or in the base.
        reference_slot: (G,) slot of the frame that carries it; BASE or IDENTITY.
    """

    parent: NDArray[np.int64]
    begin: NDArray[np.int64]
    slot: NDArray[np.int64]
    tip_joint: NDArray[np.int64]
    tip: NDArray[np.float64]
    tip_slot: NDArray[np.int64]
    reference_joint: NDArray[np.int64]
    reference: NDArray[np.float64]
    reference_slot: NDArray[np.int64]

    @classmethod
    def of(cls, parent: NDArray[np.int64], tips: Ends, references: Ends) -> "TreeLayout":
        """Choose the slots, from the joint before each joint, -1 for the base, and the goals."""
        m, (tip_joint, tip), (reference_joint, reference) = len(parent), tips, references
        after = parent != np.arange(m) - 1
        carrying = np.concatenate([tip_joint, reference_joint, parent[after]])
        kept = np.unique(carrying[carrying >= 0])
        slot = np.full(m, -1)
        slot[kept] = np.arange(len(kept))

        def slots(joints: NDArray[np.int64]) -> NDArray[np.int64]:
            return np.where(joints >= 0, slot[joints], Slot.BASE)

        begin = np.where(after, slots(parent), Slot.SAME)
        begin[0] = Slot.BASE
        of_reference = slots(reference_joint)
        in_base = (reference_joint < 0) & (reference == np.eye(4)).all(axis=(1, 2))
        of_reference[in_base] = Slot.IDENTITY
        return cls(
            parent=parent,
            begin=begin,
            slot=slot,
            tip_joint=tip_joint,
            tip=tip,
            tip_slot=slots(tip_joint),
            reference_joint=reference_joint,
            reference=reference,
            reference_slot=of_reference,
        )

    def paths(self) -> list[list[tuple[int, int]]]:
        """Return each goal's joints: 1 with those that move its tip, -1 with its reference.

        Joints above both move neither against the other.
        """
        found = []
        for tip, reference in zip(self.tip_joint, self.reference_joint, strict=True):
            of_tip, of_reference = self._above(tip), self._above(reference)
            shared = set(of_tip) & set(of_reference)
            found.append(
                [(j, 1) for j in of_tip if j not in shared]
                + [(j, -1) for j in of_reference if j not in shared]
            )
        return found

    def _above(self, joint: int) -> list[int]:
        joints = []
        while joint >= 0:
            joints.append(int(joint))
            joint = self.parent[joint]
        return joints[::-1]
