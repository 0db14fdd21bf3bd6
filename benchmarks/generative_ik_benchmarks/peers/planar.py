"""The closed form of a planar arm with three parallel axes: elbow to one side or the other."""

import numpy as np

from generative_ik_benchmarks.peers.closed_form import ClosedForm
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain

_STRAIGHT = 1e-9
_OFF = 1e-6
"""Poses further than this from what the plane allows [m or rad] are unreachable."""


class PlanarThree(ClosedForm):
    """Closed form of an arm with three parallel revolute joints, apart from each other.

    The pose gives the third axis' place; two links reach it by the law of cosines, elbow to one
    side or the other, and the third joint makes up the rest of the rotation. A stretched or folded
    elbow is one solution; rounding must not make it none, so the cosine is clipped to 1.

    Raises:
        UnsupportedChainError: The chain is another kind.
    """

    def __init__(self, chain: KinematicChain):
        """Read the links in the plane at zero."""
        super().__init__(chain, 3)
        axes, points = self.lines.axes, self.lines.points
        if np.linalg.norm(np.cross(axes[0], axes[1:]), axis=1).max() > _STRAIGHT:
            raise UnsupportedChainError("its three axes are not parallel")
        self._signs = np.sign(axes @ axes[0])
        # The plane's frame: z along the first axis, x along the first link at zero.
        across = np.eye(3) - np.outer(axes[0], axes[0])
        links = across @ np.diff(points, axis=0).T
        lengths = np.linalg.norm(links, axis=0)
        if lengths.min() < _STRAIGHT:
            raise UnsupportedChainError("two of its axes are one line")
        x = links[:, 0] / lengths[0]
        self._plane = np.stack([x, np.cross(axes[0], x), axes[0]])
        self._upper, self._fore = (complex(*(self._plane @ link)[:2]) for link in links.T)
        self._height = float(self._plane[2] @ (points[2] - points[0]))

    def solve(self, tip_in_base: Floats) -> Floats:
        """Return the solutions (k, 3), k at most 2, see `Solver`."""
        at_zero, points = self.lines.tip, self.lines.points
        whole = self._plane @ tip_in_base[:3, :3] @ at_zero[:3, :3].T @ self._plane.T
        total = np.arctan2(whole[1, 0], whole[0, 0])
        # Where the third axis has to be, from the first, in the plane's frame.
        lever = at_zero[:3, 3] - points[2]
        out = self._plane @ (tip_in_base[:3, 3] - points[0])
        out -= whole @ self._plane @ lever
        if max(abs(out[2] - self._height), np.hypot(*whole[:2, 2])) > _OFF:
            return np.empty((0, 3))
        wrist, upper, fore = complex(*out[:2]), abs(self._upper), abs(self._fore)
        cosine = (abs(wrist) ** 2 - upper**2 - fore**2) / (2.0 * upper * fore)
        if abs(wrist) > upper + fore + _OFF or abs(wrist) < abs(upper - fore) - _OFF:
            return np.empty((0, 3))
        bend = np.arccos(np.clip(cosine, -1.0, 1.0))
        found = []
        for side in (bend, -bend)[: 1 if bend in (0.0, np.pi) else 2]:
            second = side - np.angle(self._fore / self._upper)
            reached = self._upper + self._fore * np.exp(1j * second)
            first = np.angle(wrist / reached) if abs(reached) > _STRAIGHT else 0.0
            found.append(self._signs * [first, second, total - first - second])
        return self.into_limits(np.array(found))
