"""What a GGIK model is made of in, the same checked and as JSON out."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

NETWORKS = ("egnn", "mpnn", "gat", "gcn", "sage")
FEATURES = ("full", "paper")
STARTS = ("middle", "zero")
LATENTS = ("arm", "node")
WALK, LATENT = "walk", "latent"
GENERATORS = (WALK, LATENT)
"""Joint by joint (walk.py), or all at once from latents, as in the papers (model.py)."""
_LARGEST, _MOST_LAYERS = 1 << 12, 64
"""No size in a configuration is above this: a corrupt file must not ask for all the memory."""


def _check_sizes(config: object, names: tuple[str, ...]) -> None:
    for name in names:
        value = getattr(config, name)
        most = _MOST_LAYERS if name.endswith("layers") else _LARGEST
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise InvalidArgumentError(
                f"{name} must be a whole number from 1 to {most}, not {value!r}"
            )


@dataclass(frozen=True)
class WalkConfig:
    """Everything that decides the shape of a model that goes joint by joint.

    Attributes:
        hidden: Width of the network that every joint asks.
        blocks: Its residual blocks, of two layers each.
        memory: Width of the messages that tell what is left of an arm.
        components: Distributions in the mixture of a joint's position.
    """

    hidden: int = 128
    blocks: int = 2
    memory: int = 64
    components: int = 16

    def __post_init__(self):
        """Refuse what no model can be made of.

        Raises:
            InvalidArgumentError: A number is outside its range.
        """
        _check_sizes(self, ("hidden", "blocks", "memory", "components"))

    def as_json(self) -> dict[str, object]:
        """Return the configuration as JSON knows it."""
        return {"generator": WALK, **asdict(self)}


@dataclass(frozen=True)
class GGIKConfig:
    """Everything that decides the shape and meaning of a model with latents.

    Attributes:
        network: "egnn", or one of table V's that are not equivariant.
        hidden: Width of node and message embeddings.
        encoder_layers: Layers of the encoder and of the prior network.
        decoder_layers: Layers of the decoder.
        latents: "node": every node has latents of its own, drawn independently of the others'
            (equation 5); "arm": all nodes of an arm share theirs, so that they agree.
        latent: Latent dimensions of a node or an arm.
        components: Gaussians of the prior's mixture.
        features: "paper": the node's class and known distances; "full": its place along the
            chain and the joint's kind and range as well.
        start: Where unknown points begin: "zero" is the base's origin, as in the paper; "middle"
            is where the arm has them in the middle of its ranges, which shows limits and tells
            a link from its mirror image.
        frame: Let the networks see and move points in the axes of the base as well, which stay
            equivariant: the axes move with the graph. The paper's know distances only.
        hold_known: Leave known points where they are.
        sigma: Standard deviation of decoded points, as a share of the arm's length.
        known_weight: Weight of known points in the likelihood; the paper lowers that of the
            structure's nodes.
    """

    network: str = "egnn"
    hidden: int = 32
    encoder_layers: int = 2
    decoder_layers: int = 3
    latents: str = "arm"
    latent: int = 8
    components: int = 8
    features: str = "full"
    start: str = "middle"
    frame: bool = True
    hold_known: bool = True
    sigma: float = 0.03
    known_weight: float = 0.1

    def __post_init__(self):
        """Refuse what no model can be made of.

        Raises:
            UnknownNameError: A name is none of its choices.
            InvalidArgumentError: A number is outside its range.
        """
        for kind, name, choices in (
            ("graph network", self.network, NETWORKS),
            ("feature set", self.features, FEATURES),
            ("start", self.start, STARTS),
            ("kind of latents", self.latents, LATENTS),
        ):
            if name not in choices:
                raise UnknownNameError(kind, name, choices)
        _check_sizes(self, ("hidden", "encoder_layers", "decoder_layers", "latent", "components"))
        for name, least in (("sigma", 1e-6), ("known_weight", 0.0)):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not least <= value <= 1e6:
                raise InvalidArgumentError(f"{name} must be from {least:g} to 1e6, not {value!r}")
        for name in ("frame", "hold_known"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidArgumentError(f"{name} must be true or false")

    def as_json(self) -> dict[str, object]:
        """Return the configuration as JSON knows it."""
        return asdict(self)


def config_from_json(content: Mapping[str, object]) -> GGIKConfig | WalkConfig:
    """Read a configuration back.

    Raises:
        InvalidArgumentError: Keys are missing or unknown, or a value is not usable.
        UnknownNameError: A name is none of its choices.
    """
    values = dict(content)
    kind = WalkConfig if values.pop("generator", LATENT) == WALK else GGIKConfig
    names = {field.name for field in fields(kind)}
    if set(values) != names:
        odd = sorted(names.symmetric_difference(values))
        raise InvalidArgumentError(f"missing or unknown settings: {', '.join(odd)}")
    return kind(**values)  # pyright: ignore[reportArgumentType]
