"""A network's numbers in, a mixture of distributions on the circle out."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

PARTS = 4
"""Numbers a component."""
LEAST, MOST = -3.0, 9.0
"""Logarithms of concentrations are kept between these: a spread of 0.6 degrees at least."""
SLOPE, SHIFT = 0.5, -0.5
"""Of the network's number in the sigmoid that keeps them there."""
EDGE = 1e-5
"""What is left of a chance is kept this far from 0 and 1."""


@dataclass(frozen=True, eq=False)
class CircleMixture:
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
    def of(cls, raw: Tensor) -> "CircleMixture":
        """Read a mixture off a network's numbers (*B, PARTS K)."""
        logits, cosine, sine, tells = raw.chunk(PARTS, dim=-1)
        logs = LEAST + (MOST - LEAST) * torch.sigmoid(SLOPE * tells + SHIFT)
        return cls(logits, torch.atan2(sine, cosine), logs)

    def log_prob(self, angle: Tensor) -> Tensor:
        """Return the log-likelihood (*B) of angles (*B) [nats]."""
        concentration = torch.exp(self.log_concentrations)
        each = concentration * (torch.cos(angle[..., None] - self.means) - 1.0)
        each = each - torch.log(torch.special.i0e(concentration)) - math.log(2.0 * math.pi)
        return torch.logsumexp(each + torch.log_softmax(self.logits, dim=-1), dim=-1)

    def sample(self, unit: Tensor) -> Tensor:
        """Turn uniform numbers (*B) into angles (*B) [rad].

        One number chooses a component, and what is left of it where in that: numbers that are
        spread evenly make angles that are. A wrapped normal with the same first moment stands for
        a von Mises distribution.
        """
        shares = torch.softmax(self.logits, dim=-1)
        rising = shares.cumsum(-1)
        # The last bound is 1 up to rounding: it decides nothing.
        chosen = (unit[..., None] >= rising[..., :-1]).sum(-1, keepdim=True)
        shape = (*chosen.shape[:-1], self.means.shape[-1])
        share, upper, mean, logs = (
            torch.take_along_dim(part.expand(shape), chosen, -1)[..., 0]
            for part in (shares, rising, self.means, self.log_concentrations)
        )
        left = 1.0 - (upper - unit) / share
        normal = torch.special.ndtri(left.clamp(EDGE, 1.0 - EDGE))
        return mean + spread_of(logs) * normal


def spread_of(log_concentrations: Tensor) -> Tensor:
    """Return the spread of the wrapped normal distributions that are as concentrated [rad]."""
    concentration = torch.exp(log_concentrations)
    moment = torch.special.i1e(concentration) / torch.special.i0e(concentration)
    return torch.sqrt(-2.0 * torch.log(moment.clamp(1e-9, 1.0)))
