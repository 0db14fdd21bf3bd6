"""Robots with their collision geometry, and obstacles at random poses around them."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.collision_oracle import RobotOracle, Solid
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Shape, Sphere
from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits

OBSTACLES = 20
_REACH_SAMPLES = 200
_SHAPES = {
    "box": (Box, 3), "sphere": (Sphere, 1), "cylinder": (Cylinder, 2), "capsule": (Capsule, 2)
}  # fmt: skip
"""Their records, and how many lengths they have."""
KINDS = tuple(_SHAPES)


def robot_geometry(
    case: ChainCase | TreeCase,
    srdf: Path | None,
    joint_positions: Mapping[str, float] | None = None,
) -> tuple[CollisionModel, RobotOracle]:
    """Return a robot's collision geometry: the package's, and the truth.

    Args:
        case: The robot, with its meshes beside its description.
        srdf: Names the pairs that are not checked; None: those that sampling finds.
        joint_positions: Positions of joints outside the chain.
    """
    model = CollisionModel.from_urdf(
        case.source, srdf=srdf, package_dirs=case.package_dirs, joint_positions=joint_positions
    )
    return model, RobotOracle(
        case, joint_positions=joint_positions, srdf=srdf, unchecked=model.unchecked
    )


def with_geometry(
    case: ChainCase | TreeCase, srdf: Path | None
) -> tuple[CollisionModel, RobotOracle]:
    """Return the `robot_geometry` of a robot that may have none.

    Raises:
        UnsupportedChainError: There is no such geometry at hand.
    """
    try:
        model, oracle = robot_geometry(case, srdf)
    except RobotDescriptionError as error:
        raise UnsupportedChainError(f"its meshes are not at hand: {error}") from error
    if not model.links:
        raise UnsupportedChainError("its description has no collision geometry")
    return model, oracle


def tip_reach(chain: KinematicChain, rng: np.random.Generator) -> float:
    """Return how far from the base tips of random configurations are at most [m]."""
    low, high = finite_limits(chain)
    tips = chain.forward(rng.uniform(low, high, (_REACH_SAMPLES, chain.num_joints)))
    return float(np.linalg.norm(tips[:, :3, 3], axis=1).max())


def random_obstacles(
    rng: np.random.Generator, base_in_root: Floats, reach: float, kinds: tuple[str, ...]
) -> list[Solid]:
    """Return obstacles of random kinds and sizes at random poses around a base.

    Args:
        rng: The source of randomness.
        base_in_root: (4, 4) [m].
        reach: How far from the base they are at most, and what their sizes go by [m].
        kinds: Kinds to choose from.
    """
    solids = []
    for k in range(OBSTACLES):
        kind = str(rng.choice(kinds))
        pose = np.eye(4)
        pose[:3, :3] = Rotation.from_quat(rng.normal(size=4)).as_matrix()
        way = rng.normal(size=3)
        pose[:3, 3] = reach * rng.uniform(0.3, 1.1) * way / np.linalg.norm(way)
        size = tuple(float(x) for x in reach * rng.uniform(0.02, 0.15, _SHAPES[kind][1]))
        solids.append(Solid(f"{kind}_{k}", kind, size, base_in_root @ pose))
    return solids


def scene_of(obstacles: Iterable[Solid]) -> Scene:
    """Return obstacles as the package takes them."""
    shapes: dict[str, dict[str, Shape]] = {kind: {} for kind in _SHAPES}
    for item in obstacles:
        make, _ = _SHAPES[item.kind]
        size = (np.array(item.size),) if item.kind == "box" else item.size
        shapes[item.kind][item.name] = make(*size, pose=item.pose)
    return Scene(shapes["box"], shapes["sphere"], shapes["cylinder"], shapes["capsule"])
