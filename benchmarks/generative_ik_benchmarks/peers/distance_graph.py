"""The distance-geometric description of a revolute chain and a target: points and distances.

F. Maric, M. Giamou, A. W. Hall, S. Khoubyarian, I. Petrovic, J. Kelly, Riemannian optimization for
distance-geometric inverse kinematics, IEEE Transactions on Robotics 2021 (arXiv 2108.13720), after
J. Porta, L. Ros, F. Thomas, C. Torras, A branch-and-prune solver for distance constraints, 2005.
"""

import numpy as np

from generative_ik_benchmarks.peers.closed_form import require_revolute_joints
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import inverse, turn

_APART = 0.25
"""Distance of a joint's two points as a share of the reach: about as long as a link."""


class DistanceGraph:
    """Two points on each joint axis, and two more that make the base a frame.

    The links fix the distances among the points of consecutive axes, whatever the configuration.
    A target fixes the last axis, whatever the last joint's angle, and with it the distances of
    its points from those of the base. All other distances are open.

    Attributes:
        num_points: N, two a joint and two more.
        edges: (E, 2) pairs of points whose distance a target determines.

    Raises:
        UnsupportedChainError: The chain is another kind.
    """

    def __init__(self, chain: KinematicChain):
        """Lay out the points of each link and the pairs of known distance."""
        require_revolute_joints(chain)
        count = chain.num_joints
        if count < 3:
            raise UnsupportedChainError("needs three joints or more")
        self._chain = chain
        length = _APART * (chain.reach if chain.reach > 1e-9 else 1.0)
        self._on_axis = np.zeros((count, 2, 3))
        self._on_axis[:, 1] = length * chain.joint_axes
        helper = np.linalg.svd(chain.joint_axes[0][None])[2][1:]
        self._aside = length * helper
        self.num_points = 2 * count + 2
        pairs = {(2 * j, 2 * j + 1) for j in range(count)}
        for j in range(count - 1):
            pairs |= {(a, b) for a in (2 * j, 2 * j + 1) for b in (2 * j + 2, 2 * j + 3)}
        self._fixed = np.array([0, 1, 2 * count, 2 * count + 1, 2 * count - 2, 2 * count - 1])
        pairs |= {(a, b) for a in self._fixed for b in self._fixed if a < b}
        self.edges = np.array(sorted(pairs))
        # Links keep their distances, so any configuration tells them.
        self._at_zero = self.points(np.zeros(count))
        self._of_links = self._squared(self._at_zero)
        last = np.isin(self.edges, self._fixed[-2:]).sum(axis=1) == 1
        self._of_target = last & np.isin(self.edges, self._fixed).all(axis=1)

    def points(self, q: Floats) -> Floats:
        """Return the points (N, 3) in the base at a configuration (n,) [m]."""
        frame, rows = np.eye(4), []
        for j, origin in enumerate(self._chain.joint_origins):
            frame = frame @ origin
            rows.append(self._on_axis[j] @ frame[:3, :3].T + frame[:3, 3])
            frame = frame @ turn(self._chain.joint_axes[j], np.asarray(q[j]))
        base = self._chain.joint_origins[0]
        return np.concatenate([*rows, self._aside @ base[:3, :3].T + base[:3, 3]])

    def squared_distances(self, tip_in_base: Floats) -> Floats:
        """Return the known squared distances (E,) for a target (4, 4) [m^2]."""
        return np.where(self._of_target, self._squared(self._known(tip_in_base)), self._of_links)

    def _squared(self, points: Floats) -> Floats:
        gaps = points[self.edges[:, 0]] - points[self.edges[:, 1]]
        return (gaps**2).sum(axis=1)

    def _known(self, tip_in_base: Floats) -> Floats:
        """Return points (N, 3) of which those of the base and of the last axis are right."""
        points = self._at_zero.copy()
        points[self._fixed[-2:]] = self._last_axis(tip_in_base)
        return points

    def _last_axis(self, tip_in_base: Floats) -> Floats:
        """Return the last axis' points (2, 3) at a target; the last angle does not move them."""
        frame = tip_in_base @ inverse(self._chain.tip_in_last_joint)
        return self._on_axis[-1] @ frame[:3, :3].T + frame[:3, 3]

    def configuration(self, points: Floats, tip_in_base: Floats) -> Floats:
        """Return the configuration (n,) that fits points (N, 3), given up to a rigid motion.

        They are moved, reflected if need be, to where the base and the target's last axis are.
        Then each joint's angle brings the next axis to where its points are.
        """
        chain = self._chain
        known = self._known(tip_in_base)[self._fixed]
        points = _moved_onto(points, points[self._fixed], known)
        q, frame = np.zeros(chain.num_joints), np.eye(4)
        for j in range(chain.num_joints):
            frame, axis = frame @ chain.joint_origins[j], chain.joint_axes[j]
            if j + 1 < chain.num_joints:
                following = chain.joint_origins[j + 1]
                here = self._on_axis[j + 1] @ following[:3, :3].T + following[:3, 3]
                there = (points[2 * j + 2 : 2 * j + 4] - frame[:3, 3]) @ frame[:3, :3]
            else:
                left = inverse(frame) @ tip_in_base @ inverse(chain.tip_in_last_joint)
                here, there = np.eye(3), left[:3, :3].T
            sine = (np.cross(here, there) @ axis).sum()
            cosine = (here * there).sum() - ((here @ axis) * (there @ axis)).sum()
            q[j] = np.arctan2(sine, cosine)
            frame = frame @ turn(axis, np.asarray(q[j]))
        return q


def _moved_onto(points: Floats, some: Floats, goal: Floats) -> Floats:
    """Move points (N, 3) by the isometry that brings some of them (K, 3) nearest to a goal (K, 3).

    P. Schoenemann, A generalized solution of the orthogonal Procrustes problem, 1966.
    """
    centre, aim = some.mean(axis=0), goal.mean(axis=0)
    left, _, right = np.linalg.svd((some - centre).T @ (goal - aim))
    return (points - centre) @ left @ right + aim
