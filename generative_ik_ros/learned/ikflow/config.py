"""What a conditional flow is made of in, the same checked and as JSON out."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

import numpy as np

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

KINDS = ("coupling", "spline")
POSE_INPUTS = ("quaternion", "6d", "cylindrical", "turned", "reduced")
_LARGEST = 1 << 16
"""No size in a configuration is above this: a corrupt file must not ask for all the memory."""


@dataclass(frozen=True)
class FlowConfig:
    """Everything that decides a flow's shape and meaning, besides its weights.

    Attributes:
        kind: "coupling" for affine couplings with a normal base (IKFlow, equations 2 to 4),
            "spline" for rational-quadratic splines on the box of the limits with a uniform base.
        circular: (D,) whether a coordinate is a circle; the first are the joints that the flow
            models, the others padding. The width D of the flow is the length of this.
        half_turn: (D,) angle [rad] from the middle of the box to its ends where the coordinate is
            a turning joint, else 0.
        joints: Number n of the chain's joints.
        closed: Those of them that follow in closed form from the others and the pose, see
            closing.py. The flow models the others, in their order.
        permutations: (layers, D) order in which each layer sees the coordinates.
        untouched: How many coordinates each layer leaves as they are, d in equation 2.
        hidden: Width of the coefficient networks.
        hidden_layers: Their hidden layers.
        condition_hidden: Width of the network that reads the pose.
        bins: Bins of a spline.
        clamp: Bound of the logarithmic scale of an affine coupling.
        pose_input: How the pose is given: "quaternion" as in the paper, "6d" (Zhou et al., On the
            continuity of rotation representations, 2019), or as seen from the two ends:
            "cylindrical", "turned" and "reduced", see pose_features.py.
        position_scale: Length that positions are divided by [m].
        noise_scale: Greatest standard deviation of SoftFlow's noise (equation 6), in units of
            half the width of the box; the paper's is 1e-3.
    """

    kind: str
    circular: tuple[bool, ...]
    half_turn: tuple[float, ...]
    joints: int
    closed: tuple[int, ...]
    permutations: tuple[tuple[int, ...], ...]
    untouched: int
    hidden: int = 16
    hidden_layers: int = 2
    condition_hidden: int = 64
    bins: int = 4
    clamp: float = 2.5
    pose_input: str = "turned"
    position_scale: float = 1.0
    noise_scale: float = 1e-3

    def __post_init__(self):
        """Refuse what no flow can be made of.

        Raises:
            UnknownNameError: `kind` or `pose_input` is none of its choices.
            InvalidArgumentError: A size does not fit the others.
        """
        if self.kind not in KINDS:
            raise UnknownNameError("flow", self.kind, KINDS)
        if self.pose_input not in POSE_INPUTS:
            raise UnknownNameError("pose input", self.pose_input, POSE_INPUTS)
        for name in ("hidden", "hidden_layers", "condition_hidden"):
            _between(name, getattr(self, name), 1, _LARGEST)
        _between("bins", self.bins, 2, 64)
        _between("joints", self.joints, 1, 256)
        if sorted(set(self.closed)) != list(self.closed):
            raise InvalidArgumentError("closed must list joints once each, in their order")
        for joint in self.closed:
            _between("closed", joint, 0, self.joints - 1)
        _between("width", self.width, max(2, len(self.modelled)), 256)
        _between("layers", self.layers, 1, 256)
        _between("untouched", self.untouched, 1, self.width - 1)
        if len(self.half_turn) != self.width:
            raise InvalidArgumentError("half_turn and circular must have the same length")
        if any(sorted(order) != list(range(self.width)) for order in self.permutations):
            raise InvalidArgumentError("each permutation must list every coordinate once")
        for name in ("clamp", "position_scale"):
            if not 1e-6 <= getattr(self, name) <= 1e6:
                raise InvalidArgumentError(f"{name} must be from 1e-6 to 1e6")
        if not 0.0 <= self.noise_scale < 1.0:
            raise InvalidArgumentError("noise_scale must be from 0 to below 1")

    @property
    def modelled(self) -> list[int]:
        """Joints that the flow models: its first coordinates."""
        return [joint for joint in range(self.joints) if joint not in self.closed]

    @property
    def width(self) -> int:
        """Number D of coordinates, joints and padding."""
        return len(self.circular)

    @property
    def layers(self) -> int:
        """Number of coupling layers."""
        return len(self.permutations)

    def as_json(self) -> dict[str, object]:
        """Return the configuration as JSON knows it."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, object]) -> "FlowConfig":
        """Read a configuration back.

        Raises:
            InvalidArgumentError: Keys are missing or unknown, or a value has the wrong type.
        """
        names = {field.name for field in fields(cls)}
        if set(content) != names:
            odd = sorted(names.symmetric_difference(content))
            raise InvalidArgumentError(f"missing or unknown settings: {', '.join(odd)}")
        values = dict(content)
        try:
            values["circular"] = tuple(bool(v) for v in values["circular"])  # pyright: ignore
            values["half_turn"] = tuple(float(v) for v in values["half_turn"])  # pyright: ignore
            values["closed"] = tuple(int(i) for i in values["closed"])  # pyright: ignore
            values["permutations"] = tuple(
                tuple(int(i) for i in order)
                for order in values["permutations"]  # pyright: ignore
            )
            return cls(**values)  # pyright: ignore[reportArgumentType]
        except (TypeError, ValueError, OverflowError) as error:
            if isinstance(error, InvalidArgumentError):
                raise
            raise InvalidArgumentError(f"a setting has the wrong type: {error}") from None


def balanced_permutations(width: int, layers: int, untouched: int, seed: int) -> list[list[int]]:
    """Choose fixed permutations in which every coordinate is transformed about equally often.

    Each layer transforms the coordinates that were transformed least often so far, ties broken at
    random, so that no coordinate waits for more than a few layers as it may with free chance.

    Args:
        width: Number D of coordinates.
        layers: Number of layers.
        untouched: The first so many of each permutation are left as they are.
        seed: Breaks the ties.

    Returns:
        One order of the coordinates a layer.
    """
    rng = np.random.default_rng(seed)
    times = np.zeros(width)
    orders = []
    for _ in range(layers):
        order = np.argsort(-(times + 0.5 * rng.random(width)))
        times[order[untouched:]] += 1.0
        orders.append([*map(int, np.sort(order[:untouched])), *map(int, order[untouched:])])
    return orders


def _between(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidArgumentError(f"{name} must be a whole number from {least} to {most}")
