"""The configuration of a distal network: its shape, checked, to and from JSON."""

from dataclasses import dataclass

from generative_ik_ros.learned.settings import ChainConfig, Settings, setting

POSE_INPUTS = ("quaternion", "6d", "cylindrical")


# No size is above `most`: a corrupt file must not ask for all the memory.
@dataclass(frozen=True)
class DistalShape(Settings):
    """The networks."""

    members: int = setting(
        1,
        "Networks trained side by side from different initial weights, each with one "
        "configuration per pose; 1 as in the paper.",
        least=1,
        most=256,
    )
    hidden: int = setting(256, "Width of the hidden layers.", least=1, most=1 << 14)
    layers: int = setting(3, "Hidden layers.", least=1, most=64)
    pose_input: str = setting(
        "cylindrical",
        "How the pose is given: quaternion (as in the paper), 6d or cylindrical "
        "(ikflow/pose_features.py).",
        choices=POSE_INPUTS,
    )


@dataclass(frozen=True, kw_only=True)
class DistalConfig(DistalShape, ChainConfig):
    """Everything that decides a network's shape and meaning, besides its weights."""
