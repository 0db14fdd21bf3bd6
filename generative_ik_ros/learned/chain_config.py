"""What the configurations of all networks for one chain share."""

from dataclasses import MISSING, dataclass

from generative_ik_ros.learned.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class ChainConfig(Settings):
    """What a network has to know of its chain."""

    joints: int = setting(MISSING, "Number n of the chain's joints.", least=1, most=256)
    position_scale: float = setting(
        1.0, "Length that positions are divided by [m].", least=1e-6, most=1e6
    )
