"""The three mechanisms of the paper on distal teaching, and the poses they are asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.chains import ChainCase, known_cases
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import check_names
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import (
    finite_limits,
    random_configurations,
    random_reachable_poses,
)

_TRAINING = 1000
"""Added to the seed of the test poses for the training poses."""


@dataclass(frozen=True)
class Mechanism:
    """One of the paper's mechanisms, and what is measured on it.

    Attributes:
        name: As in the paper's tables.
        robot: The robot that ships with the package.
        hidden: Width of the net's hidden layers here.
        layers: Number of hidden layers here.
        steps: Training steps here.
        samples: Sizes of the training sets of table I a, as in the paper.
        penalties: Lambdas of table II.
        assumed_range: Half the range of every joint for table II where the robot's limits are not
            published [rad]; None where they are known.
        swapped: Training poses of table IV that are replaced by unreachable ones.
        far: Mean and standard deviation of the unreachable poses' distance from the base [m].
    """

    name: str
    robot: str
    hidden: int
    layers: int
    steps: int
    samples: tuple[int, ...]
    penalties: tuple[float, ...]
    assumed_range: float | None
    swapped: int
    far: tuple[float, float]

    @cached_property
    def case(self) -> ChainCase:
        """The chain and its description."""
        return known_cases([self.robot])[0]

    @property
    def chain(self) -> KinematicChain:
        """The chain."""
        return self.case.chain

    @cached_property
    def limited(self) -> KinematicChain:
        """The chain of table II, with `assumed_range` where there is one."""
        if self.assumed_range is None:
            return self.chain
        root = ElementTree.fromstring(self.case.urdf)
        for limit in root.iter("limit"):
            limit.set("lower", repr(-self.assumed_range))
            limit.set("upper", repr(self.assumed_range))
        text = ElementTree.tostring(root, encoding="unicode")
        return KinematicChain.from_urdf(text, self.case.base_link, self.case.tip_link)

    @property
    def planar(self) -> bool:
        """Whether the workspace lies in one plane."""
        return self.chain.num_joints == 3


MECHANISMS = (
    Mechanism(
        "3-DoF", "planar_3r", 256, 2, 4000, (100, 800, 6400), (0.0, 1.0, 2.0), None, 100,
        (3.25, 0.47),
    ),
    Mechanism(
        "6-DoF", "compi", 256, 4, 4000, (4000, 32_000, 256_000), (0.0, 1.0, 5.0), 2.55, 1000,
        (1.95, 0.35),
    ),
    Mechanism(
        "15-DoF", "atlas_foot_to_hand", 384, 3, 2500, (4000, 32_000, 256_000), (0.0, 1.0, 5.0),
        None, 1000, (5.28, 0.73),
    ),
)  # fmt: skip
"""The planar arm has the paper's net, 2 x 256; the paper's others are 6 x 512 and 3 x 1024."""


def chosen_mechanisms(names: Sequence[str] = ()) -> list[Mechanism]:
    """Return the mechanisms with these names, all if there are none.

    Raises:
        UnknownNameError: There is no such mechanism.
    """
    known = {one.name: one for one in MECHANISMS}
    check_names("mechanism", names, known)
    return [one for one in MECHANISMS if not names or one.name in names]


def training_poses(chain: KinematicChain, count: int, seed: int) -> Floats:
    """Return training poses (count, 4, 4); a larger set begins with the smaller ones."""
    return random_reachable_poses(chain, count, seed + _TRAINING)


def far_poses(mechanism: Mechanism, count: int, seed: int) -> Floats:
    """Return unreachable poses (count, 4, 4) like those of table IV: far out, in any orientation.

    Distances from the base are uniform, with the mean that the paper gives and about the spread
    that its errors show.
    """
    rng = np.random.default_rng((seed, 4))
    mean, deviation = mechanism.far
    radius = mean + deviation * np.sqrt(3.0) * rng.uniform(-1.0, 1.0, count)
    return poses_at(mechanism, radius, rng)


def poses_at(mechanism: Mechanism, radius: Floats, rng: np.random.Generator) -> Floats:
    """Return poses (N, 4, 4) at distances (N,) from the base [m], otherwise random.

    For the planar arm they are in its plane, where they are harder to recognise as unreachable.
    """
    count = len(radius)
    direction = rng.normal(size=(count, 3))
    if mechanism.planar:
        direction[:, 2] = 0.0
        rotation = Rotation.from_rotvec(rng.uniform(-np.pi, np.pi, (count, 1)) * [0.0, 0.0, 1.0])
    else:
        rotation = Rotation.random(count, rng=rng)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    targets = np.tile(np.eye(4), (count, 1, 1))
    targets[:, :3, 3] = radius[:, None] * direction
    targets[:, :3, :3] = rotation.as_matrix()
    return targets


UNIFORM, NEAR, SINGULAR, NONSINGULAR = "uniform", "near-singular", "singular", "nonsingular"
TEST_SETS = (UNIFORM, NEAR, SINGULAR, NONSINGULAR)
_CANDIDATES = 40
"""Uniform configurations for each one that is wanted: the near-singular set is their most
singular fortieth, the nonsingular set is without their most singular fifth."""
_REMOVED = 0.2
_SWEEPS = 4
_STEPS = np.geomspace(0.5, 5e-7, 25)
"""By which joints are moved to make a configuration more singular [rad or m]."""


def test_set(chain: KinematicChain, kind: str, count: int, seed: int) -> Floats:
    """Return configurations (count, n) of a kind, one of `TEST_SETS`.

    Singular ones start from near-singular ones; then one joint after the other is moved where
    that makes the Jacobian's smallest singular value smaller, until it is practically zero.
    """
    if kind == UNIFORM:
        return random_configurations(chain, count, seed)
    drawn = random_configurations(chain, _CANDIDATES * count, seed)
    order = np.argsort(least_singular_value(chain, drawn), kind="stable")
    if kind == NONSINGULAR:
        kept = np.sort(order[int(_REMOVED * len(order)) :])
        return drawn[kept[:count]]
    near = drawn[order[:count]]
    return near if kind == NEAR else _more_singular(chain, near, seed)


def least_singular_value(chain: KinematicChain, positions: Floats) -> Floats:
    """Return the least singular value (N,) of the Jacobian at configurations (N, n).

    Of the directions in which the chain can move at all: three for a planar arm. Rows are in m
    and rad as they are.
    """
    rank = min(6, chain.num_joints)
    values = np.linalg.svd(chain.jacobian(positions), compute_uv=False)
    return np.asarray(values[:, rank - 1], np.float64)


def _more_singular(chain: KinematicChain, positions: Floats, seed: int) -> Floats:
    """Move joints, one at a time, while that makes the configurations (N, n) more singular."""
    lower, upper = finite_limits(chain)
    rng = np.random.default_rng((seed, 5))
    best = positions.copy()
    values = least_singular_value(chain, best)
    for _ in range(_SWEEPS):
        for joint in range(chain.num_joints):
            for step in _STEPS:
                moved = np.repeat(best[None], 2, axis=0)
                shift = step * rng.random(len(best))
                moved[:, :, joint] += np.stack([-shift, shift])
                moved[:, :, joint] = np.clip(moved[:, :, joint], lower[joint], upper[joint])
                tried = least_singular_value(chain, moved.reshape(-1, chain.num_joints))
                tried = tried.reshape(2, -1)
                side = tried.argmin(axis=0)
                rows = np.arange(len(best))
                better = tried[side, rows] < values
                best[better] = moved[side, rows][better]
                values[better] = tried[side, rows][better]
    return best
