"""Configurations of the two kinds of GGIK model, and as the JSON of a weight file."""

from collections.abc import Mapping
from dataclasses import dataclass

from generative_ik_ros.learned.settings import Settings, setting

NETWORKS = ("egnn", "mpnn", "gat", "gcn", "sage")
AUTOREGRESSIVE, LATENT = "autoregressive", "latent"
GENERATORS = (AUTOREGRESSIVE, LATENT)
"""Joint by joint (`autoregressive/`), or all joints at once as in the papers (`latent/`)."""
AUTOREGRESSIVE_IN_FILES = "walk"
"""What weight files call the autoregressive generator since the first version of the format."""
SIZE, _LAYERS = {"least": 1, "most": 1 << 12}, {"least": 1, "most": 64}
"""No size is above these: a corrupt file must not ask for all the memory."""


@dataclass(frozen=True)
class AutoregressiveShape(Settings):
    """The generator `autoregressive`."""

    blocks: int = setting(2, "Residual blocks, of two layers each.", **SIZE)
    memory: int = setting(64, "Width of the recurrent network that encodes the links.", **SIZE)


@dataclass(frozen=True)
class AutoregressiveConfig(AutoregressiveShape):
    """Everything that decides the shape of an autoregressive model."""

    hidden: int = setting(128, "Width of the network that predicts a joint.", **SIZE)
    components: int = setting(16, "Von Mises distributions in a joint's mixture.", **SIZE)

    def as_json(self) -> dict[str, object]:
        """Return all fields by name, and the generator."""
        return {"generator": AUTOREGRESSIVE_IN_FILES, **super().as_json()}


@dataclass(frozen=True)
class LatentShape(Settings):
    """The generator `latent`, as in the papers."""

    network: str = setting(
        "egnn",
        "The graph network; those other than egnn are not equivariant (table V).",
        choices=NETWORKS,
    )
    encoder_layers: int = setting(2, "Layers of the encoder and of the prior network.", **_LAYERS)
    decoder_layers: int = setting(3, "Layers of the decoder.", **_LAYERS)
    latents: str = setting(
        "arm",
        "node: every node has its own latent vector, independent of the others' (equation 5, the "
        "paper's choice); arm: all nodes of an arm share one, so that they agree.",
        choices=("arm", "node"),
    )
    latent: int = setting(8, "Dimension of a latent vector.", **SIZE)
    features: str = setting(
        "full",
        "paper: a node's class and known distances; full: also its place along the chain and the "
        "type and range of its joint.",
        choices=("full", "paper"),
    )
    start: str = setting(
        "middle",
        "Initial positions of unknown points. zero: the base's origin, as in the paper; middle: "
        "where they are at the middle of the joint ranges, which shows the limits and tells a "
        "link from its mirror image.",
        choices=("middle", "zero"),
    )
    frame: bool = setting(
        True,
        "See and move points in the base frame as well, which moves with the graph, so that the "
        "networks stay equivariant. The paper's see distances only.",
    )
    hold_known: bool = setting(True, "Do not move known points.")
    sigma: float = setting(
        0.03,
        "Standard deviation of decoded points, as a share of the arm's length.",
        least=1e-6,
        most=1e6,
    )
    known_weight: float = setting(
        0.1,
        "Weight of known points in the likelihood, if they move (the paper lowers that of the "
        "structure's nodes).",
        least=0.0,
        most=1e6,
    )


@dataclass(frozen=True)
class LatentConfig(LatentShape):
    """Everything that decides the shape and meaning of a model with latent variables."""

    hidden: int = setting(32, "Width of node and message embeddings.", **SIZE)
    components: int = setting(8, "Gaussians in the mixture prior.", **SIZE)


def config_from_json(content: Mapping[str, object]) -> AutoregressiveConfig | LatentConfig:
    """Read a configuration from a weight file.

    Raises:
        InvalidArgumentError: Keys are missing or unknown, or a value is not usable.
        UnknownNameError: A name is none of its choices.
    """
    values = dict(content)
    if values.pop("generator", LATENT) == AUTOREGRESSIVE_IN_FILES:
        return AutoregressiveConfig.from_json(values)
    return LatentConfig.from_json(values)
