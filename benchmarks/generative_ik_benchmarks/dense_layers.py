"""All solutions of each pose of a path, so dense that none is far from one of them.

Of arms with more than seven joints the leading ones are set to values in a row, and the other
seven are solved for each. Where a search finds nothing new that is further than a spacing from
what it has, in any joint, the layer is full. Layers do not depend on obstacles and are kept.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.path_oracle import step_limits
from generative_ik_benchmarks.reference.cache import Arrays, cached, reference_folder
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.robot.rigid import inverse

SOLVED = 7
"""Joints that are solved; those before them are set."""
STEP_SHARE = 0.95
"""Distance of the values of joints that are set, over their largest step."""
_MOST = 20_000
"""Configurations of a pose, more than there are."""
_BATCH = 64
"""Poses in a call, for the memory that it takes."""


def dense_layers(chain: KinematicChain, targets: Floats, spacing: float) -> list[Floats]:
    """Return the configurations (K, n) of each pose, exact to 1e-6 rad.

    Args:
        chain: The chain.
        targets: (B, 4, 4) the poses, tip in base [m].
        spacing: No two configurations are nearer than this in all joints [rad or m].
    """

    def compute() -> Arrays:
        layers = _layers(chain, targets, spacing)
        counts = np.array([len(layer) for layer in layers])
        return {"positions": np.concatenate(layers), "counts": counts}

    def valid(arrays: Arrays) -> bool:
        return len(arrays["positions"]) == arrays["counts"].sum()

    settings = {"spacing": spacing, "step_share": STEP_SHARE}
    folder = reference_folder().parent / "paths"
    arrays = cached("layers", chain, targets, settings, compute, valid, folder)
    # Single precision saves space, but rounds beyond limits.
    positions = np.clip(arrays["positions"].astype(np.float64), chain.lower, chain.upper)
    return np.split(positions, np.cumsum(arrays["counts"])[:-1])


def _layers(chain: KinematicChain, targets: Floats, spacing: float) -> list[NDArray[np.float32]]:
    if chain.num_joints <= SOLVED:
        solver = IKSolver(chain, distinct_distance=spacing)
        found: list[NDArray[np.float32]] = []
        for begin in range(0, len(targets), _BATCH):
            batch = targets[begin : begin + _BATCH]
            solutions = solver.solve(batch, _MOST, order_by="limit_margin")
            found += [solutions.of(b).astype(np.float32) for b in range(len(batch))]
        return found
    first, rest = _split(chain)
    low, high = finite_limits(chain)
    step = STEP_SHARE * step_limits(chain)[0]
    values = np.linspace(low[0], high[0], int(np.ceil((high[0] - low[0]) / step)) + 1)
    layers: list[list[NDArray[np.float32]]] = [[] for _ in targets]
    for value in values:
        moved = inverse(first.forward(np.array([value]))) @ targets
        for layer, found_here in zip(layers, _layers(rest, moved, spacing), strict=True):
            set_to = np.full((len(found_here), 1), value, np.float32)
            layer.append(np.concatenate([set_to, found_here], axis=1))
    return [np.concatenate(parts) for parts in layers]


def _split(chain: KinematicChain) -> tuple[KinematicChain, KinematicChain]:
    """Return the chain up to behind its first joint, and the rest of it."""
    route = path(chain.description, chain.base_link, chain.tip_link)
    moving = next(joint for joint, _ in route if joint.name == chain.joint_names[0])
    return (
        KinematicChain.from_urdf(chain.description, chain.base_link, moving.child),
        KinematicChain.from_urdf(chain.description, moving.child, chain.tip_link),
    )
