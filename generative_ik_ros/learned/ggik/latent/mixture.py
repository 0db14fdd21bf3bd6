"""Mixtures of diagonal Gaussians over latent vectors: likelihoods and samples."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

_LOG_2PI = math.log(2.0 * math.pi)
_LEAST, _MOST = -6.0, 3.0
"""Bounds of the logarithms of standard deviations."""


def bounded_log_deviation(raw: Tensor) -> Tensor:
    """Bound logarithms of standard deviations, so that exponentials stay in range."""
    return _LEAST + (_MOST - _LEAST) * torch.sigmoid(raw + 0.7)


def normal_log_prob(value: Tensor, mean: Tensor, log_deviation: Tensor) -> Tensor:
    """Return the log-likelihood under diagonal Gaussians, summed over the last axis [nats]."""
    unit = (value - mean) * torch.exp(-log_deviation)
    return -(0.5 * unit.square() + log_deviation + 0.5 * _LOG_2PI).sum(-1)


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture of K diagonal Gaussians for each of L independent latent vectors (equation 5).

    Attributes:
        logits: (*B, L, K) of the components.
        means: (*B, L, K, D).
        log_deviations: (*B, L, K, D).
    """

    logits: Tensor
    means: Tensor
    log_deviations: Tensor

    def __getitem__(self, index) -> "Mixture":  # noqa: ANN001 (any index of a tensor)
        """Index every tensor; None adds an axis."""
        return Mixture(self.logits[index], self.means[index], self.log_deviations[index])

    def log_prob(self, latents: Tensor) -> Tensor:
        """Return the log-likelihood (*B, L) of latents (*B, L, D) [nats]."""
        each = normal_log_prob(latents[..., None, :], self.means, self.log_deviations)
        return torch.logsumexp(each + torch.log_softmax(self.logits, dim=-1), dim=-1)

    def sample(self, chance: Tensor, normal: Tensor) -> Tensor:
        """Turn random numbers into latents.

        Args:
            chance: (*B, L) uniform in [0, 1), chooses the components.
            normal: (*B, L, D) standard normal.

        Returns:
            (*B, L, D); the mixture broadcasts.
        """
        rising = torch.softmax(self.logits, dim=-1).cumsum(-1)
        # The last bound is 1 up to rounding and is not compared.
        chosen = (chance[..., None] >= rising[..., :-1]).sum(-1)
        shape = (*normal.shape[:-1], 1, normal.shape[-1])
        index = chosen[..., None, None].expand(shape)
        means, deviations = (
            torch.take_along_dim(part.expand(*shape[:-2], *part.shape[-2:]), index, -2).squeeze(-2)
            for part in (self.means, self.log_deviations)
        )
        return means + torch.exp(deviations) * normal
