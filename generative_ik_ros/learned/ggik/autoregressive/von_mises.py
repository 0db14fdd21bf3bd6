"""Mixtures of von Mises distributions on the circle, from the outputs of a network."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

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
