"""Weight files of conditional flows, and the configuration of a flow for a chain."""

from functools import partial
from pathlib import Path
from typing import Any

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.checkpoint import Checkpoint, CheckpointError
from generative_ik_ros.learned.ikflow.closing import closable
from generative_ik_ros.learned.ikflow.config import FlowConfig, balanced_permutations
from generative_ik_ros.learned.ikflow.flow import ConditionalFlow
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.network_weights import describe, filled, read
from generative_ik_ros.robot.chain import KinematicChain

NAME = "ikflow"
CONFIGURATIONS = "configurations"
"""Where a file says from how many configurations of a user a flow has learned."""

to_checkpoint = partial(describe, NAME)


def config_for(
    chain: KinematicChain,
    *,
    kind: str = "spline",
    layers: int | None = None,
    width: int | None = None,
    untouched: int | None = None,
    closed: tuple[int, ...] | None = None,
    position_scale: float = 1.0,
    seed: int = 0,
    **settings: Any,  # noqa: ANN401
) -> FlowConfig:
    """Return the configuration of a flow for a chain.

    Args:
        chain: The chain.
        kind: "coupling" or "spline".
        layers: Number of coupling layers; None for twice the number of coordinates.
        width: Coordinates, joints and padding; None for no padding (at least 2).
        untouched: Coordinates that each layer leaves as they are; None for all but one of a
            spline's, half of an affine flow's.
        closed: Joints that follow in closed form instead; None for all that do, () for the
            paper's flow over all joints.
        position_scale: Length that positions are divided by [m].
        seed: Chooses the permutations.
        settings: Other fields of `FlowConfig`.
    """
    box = JointBox.of(chain)
    closed = closable(chain) if closed is None else closed
    modelled = [joint for joint in range(chain.num_joints) if joint not in closed]
    width = max(2, len(modelled), width or 0)
    padding = width - len(modelled)
    layers = 2 * width if layers is None else layers
    if untouched is None:
        untouched = width - 1 if kind == "spline" else width // 2
    if not 0 < untouched < width:
        raise InvalidArgumentError(f"untouched must be from 1 to {width - 1}, not {untouched}")
    orders = balanced_permutations(width, layers, untouched, seed)
    # The normal base knows no circles: there a circular joint is a line, wrapped at the end.
    circular = box.circular if kind == "spline" else box.circular & False
    return FlowConfig(
        kind=kind,
        circular=(*circular[modelled].tolist(), *[False] * padding),
        half_turn=(*box.half_turn[modelled].tolist(), *[0.0] * padding),
        joints=chain.num_joints,
        closed=closed,
        permutations=tuple(tuple(order) for order in orders),
        untouched=untouched,
        position_scale=position_scale,
        **settings,
    )


def load_flow(path: Path, chain: KinematicChain) -> tuple[ConditionalFlow, Checkpoint]:
    """Read a flow for a chain, ready to sample.

    Raises:
        CheckpointError: The file is unusable; the message names it and says why.
    """
    checkpoint, config = read(path, NAME, chain, FlowConfig)
    if not set(config.closed) <= set(closable(chain)):
        raise CheckpointError(f"{path} leaves out joints that do not follow from the others")
    return filled(path, checkpoint, lambda: ConditionalFlow(config)), checkpoint
