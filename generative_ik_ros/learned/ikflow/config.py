"""The configuration of a conditional flow: its shape, checked, to and from JSON."""

from dataclasses import dataclass

import numpy as np

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.settings import ChainConfig, Settings, setting

KINDS = ("coupling", "spline")
POSE_INPUTS = ("quaternion", "6d", "cylindrical", "turned", "reduced")
_SIZE = {"least": 1, "most": 1 << 16}
"""No size is above this: a corrupt file must not ask for all the memory."""


@dataclass(frozen=True)
class FlowShape(Settings):
    """The flow."""

    kind: str = setting(
        "spline",
        "spline: rational-quadratic splines on the box of the limits, uniform base; coupling: "
        "affine couplings, normal base, as in the paper (equations 2 to 4).",
        choices=KINDS,
    )
    hidden: int = setting(16, "Width of the coefficient networks.", **_SIZE)
    hidden_layers: int = setting(2, "Their hidden layers.", **_SIZE)
    condition_hidden: int = setting(64, "Width of the network that reads the pose.", **_SIZE)
    bins: int = setting(4, "Bins of a spline.", least=2, most=64)
    clamp: float = setting(
        2.5, "Bound of the logarithmic scale of an affine coupling.", least=1e-6, most=1e6
    )
    pose_input: str = setting(
        "turned",
        "How the pose is given: quaternion (as in the paper), 6d (Zhou et al., On the continuity "
        "of rotation representations, 2019), or by what the outer joints change and what not: "
        "cylindrical, turned, reduced (ikflow/pose_features.py).",
        choices=POSE_INPUTS,
    )
    noise_scale: float = setting(
        1e-3,
        "Greatest standard deviation of SoftFlow's noise (equation 6), in half widths of the box; "
        "null: 0.001, or 0.05 for a user's configurations, whose likelihoods are blurred by it.",
        least=0.0,
        below=1.0,
    )


@dataclass(frozen=True, kw_only=True)
class FlowConfig(FlowShape, ChainConfig):
    """Everything that decides a flow's shape and meaning, besides its weights.

    The first coordinates of a flow are the joints that it models, the others are padding.

    Attributes:
        circular: (D,) whether a coordinate is a circle; the width D of the flow is its length.
        half_turn: (D,) angle [rad] from the middle of the box to its ends where the coordinate is
            a revolute joint, else 0.
        closed: Joints of the chain that follow in closed form from the others and the pose, see
            closing.py. The flow models the others, in their order.
        permutations: (layers, D) order in which each layer sees the coordinates.
        untouched: How many coordinates each layer leaves as they are, d in equation 2.
    """

    circular: tuple[bool, ...]
    half_turn: tuple[float, ...]
    closed: tuple[int, ...]
    permutations: tuple[tuple[int, ...], ...]
    untouched: int

    def __post_init__(self):
        """Check that the fields fit together.

        Raises:
            UnknownNameError: `kind` or `pose_input` is none of its choices.
            InvalidArgumentError: A size is out of its bounds or does not fit the others.
        """
        super().__post_init__()
        if sorted(set(self.closed)) != list(self.closed):
            raise InvalidArgumentError("closed must list joints once each, in their order")
        if any(not 0 <= joint < self.joints for joint in self.closed):
            raise InvalidArgumentError(f"closed must list joints from 0 to {self.joints - 1}")
        for name, value, least, most in (
            ("width", self.width, max(2, len(self.modelled)), 256),
            ("layers", self.layers, 1, 256),
            ("untouched", self.untouched, 1, self.width - 1),
        ):
            if not least <= value <= most:
                raise InvalidArgumentError(f"{name} must be from {least} to {most}, not {value}")
        if len(self.half_turn) != self.width:
            raise InvalidArgumentError("half_turn and circular must have the same length")
        if any(sorted(order) != list(range(self.width)) for order in self.permutations):
            raise InvalidArgumentError("each permutation must list every coordinate once")

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


def balanced_permutations(width: int, layers: int, untouched: int, seed: int) -> list[list[int]]:
    """Return an order of the coordinates for each layer, which leaves the first ones untouched.

    Each layer transforms the coordinates that were transformed least often so far, ties broken at
    random, so that no coordinate waits for more than a few layers.
    """
    rng = np.random.default_rng(seed)
    times = np.zeros(width)
    orders = []
    for _ in range(layers):
        order = np.argsort(-(times + 0.5 * rng.random(width)))
        times[order[untouched:]] += 1.0
        orders.append([*map(int, np.sort(order[:untouched])), *map(int, order[untouched:])])
    return orders
