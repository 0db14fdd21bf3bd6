"""The autoregressive model: one joint's density given the links that are left and the goal.

The papers complete a partial graph at once, from latent variables. This model completes it joint
by joint: once a joint is placed, the next axis is known, and what remains is the partial graph of
a shorter arm with that axis as its base. So one network serves every joint of every arm. It reads
the links that are left through a recurrent network that runs along them from the tip (J. Chung et
al., Empirical evaluation of gated recurrent neural networks, 2014), and the goal as distances and
angles. The likelihood of a configuration is the product of its joints' (as in R. Bensadoun et
al., Neural inverse kinematics, ICML 2022, for one robot): no latent variables, no bound.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from generative_ik_ros.learned.ggik.autoregressive.goal_features import GOAL_FEATURES
from generative_ik_ros.learned.ggik.config import AutoregressiveConfig
from generative_ik_ros.learned.graph.links import LINK_FEATURES, Links

PARTS = 4
"""Outputs a component: logit, cosine and sine of the mean, concentration."""


@dataclass(frozen=True)
class ComponentBounds:
    """Bounds of what a network predicts of a component."""

    least: float = -3.0
    """Least logarithm of a concentration."""
    most: float = 9.0
    """The greatest: a spread of 0.6 degrees at least."""
    slope: float = 0.5
    """Of the network's output in the sigmoid that keeps them there."""
    shift: float = -0.5
    """Added to it."""
    edge: float = 1e-5
    """The uniform number that becomes a normal one is kept this far from 0 and 1."""


BOUNDS = ComponentBounds()


@dataclass(frozen=True, eq=False)
class VonMisesMixture:
    """A mixture of K von Mises distributions (R. von Mises 1918).

    Attributes:
        logits: (*B, K) of the components.
        means: (*B, K) [rad].
        log_concentrations: (*B, K).
    """

    logits: Tensor
    means: Tensor
    log_concentrations: Tensor

    @classmethod
    def of(cls, raw: Tensor) -> "VonMisesMixture":
        """Return the mixture that outputs (*B, PARTS K) of a network describe."""
        logits, cosine, sine, level = raw.chunk(PARTS, dim=-1)
        logs = BOUNDS.least + (BOUNDS.most - BOUNDS.least) * torch.sigmoid(
            BOUNDS.slope * level + BOUNDS.shift
        )
        return cls(logits, torch.atan2(sine, cosine), logs)

    def log_prob(self, angle: Tensor) -> Tensor:
        """Return the log-likelihood (*B) of angles (*B) [nats]."""
        concentration = torch.exp(self.log_concentrations)
        each = concentration * (torch.cos(angle[..., None] - self.means) - 1.0)
        each = each - torch.log(torch.special.i0e(concentration)) - math.log(2.0 * math.pi)
        return torch.logsumexp(each + torch.log_softmax(self.logits, dim=-1), dim=-1)

    def sample(self, unit: Tensor) -> Tensor:
        """Turn uniform numbers (*B) into angles (*B) [rad].

        One number chooses a component, and its place within that component's share the quantile
        there, so that evenly spread numbers make evenly spread angles. A wrapped normal
        distribution with the same first moment stands in for each von Mises distribution.
        """
        shares = torch.softmax(self.logits, dim=-1)
        rising = shares.cumsum(-1)
        # The last bound is 1 up to rounding and is not compared.
        chosen = (unit[..., None] >= rising[..., :-1]).sum(-1, keepdim=True)
        shape = (*chosen.shape[:-1], self.means.shape[-1])
        share, upper, mean, logs = (
            torch.take_along_dim(part.expand(shape), chosen, -1)[..., 0]
            for part in (shares, rising, self.means, self.log_concentrations)
        )
        quantile = 1.0 - (upper - unit) / share
        normal = torch.special.ndtri(quantile.clamp(BOUNDS.edge, 1.0 - BOUNDS.edge))
        return mean + spread_of(logs) * normal


def spread_of(log_concentrations: Tensor) -> Tensor:
    """Return the spread of wrapped normal distributions of the same first moment [rad]."""
    concentration = torch.exp(log_concentrations)
    moment = torch.special.i1e(concentration) / torch.special.i0e(concentration)
    return torch.sqrt(-2.0 * torch.log(moment.clamp(1e-9, 1.0)))


class ResidualBlock(nn.Module):
    """Two layers with a skip connection."""

    def __init__(self, hidden: int):
        super().__init__()
        self.first = nn.Linear(hidden, hidden)
        self.second = nn.Linear(hidden, hidden)

    def forward(self, nodes: Tensor) -> Tensor:
        """Return (*B, H) of (*B, H)."""
        return nodes + self.second(functional.silu(self.first(functional.silu(nodes))))


class AutoregressiveModel(nn.Module):
    """A recurrent encoder of links, and a network that predicts a joint.

    The names of its layers are those of the tensors in weight files.
    """

    def __init__(self, config: AutoregressiveConfig):
        super().__init__()
        self.config = config
        hidden, memory = config.hidden, config.memory
        self.reader = nn.GRUCell(LINK_FEATURES, memory)
        self.sight = nn.Linear(GOAL_FEATURES, hidden)
        self.left = nn.Linear(memory, 2 * hidden)
        self.rounds = [ResidualBlock(hidden) for _ in range(config.blocks)]
        self.blocks = nn.ModuleList(self.rounds)
        self.head = nn.Linear(hidden, PARTS * config.components)

    def encode(self, links: Links) -> list[Tensor]:
        """Return the encodings (*A, 2 H) of what is left of arms (*A) at each of their joints."""
        features = links.features
        shape = features.shape[:-2]
        memory = features.new_zeros((shape.numel(), self.config.memory))
        encodings = []
        for joint in reversed(range(links.num_joints)):
            memory = self.reader(features[..., joint, :].reshape(-1, LINK_FEATURES), memory)
            encodings.append(self.left(memory).reshape(*shape, -1))
        return encodings[::-1]

    def forward(self, encoding: Tensor, goal_features: Tensor) -> VonMisesMixture:
        """Return the density of a joint's angle, see `goal_features.displacement_from`.

        Args:
            encoding: (*B, 2 H) of `encode`; broadcasts.
            goal_features: (*B, GOAL_FEATURES) of `GoalView`.
        """
        shift, gate = encoding.chunk(2, dim=-1)
        nodes = self.sight(goal_features) * (1.0 + gate) + shift
        for block in self.rounds:
            nodes = block(nodes)
        return VonMisesMixture.of(self.head(functional.silu(nodes)))
