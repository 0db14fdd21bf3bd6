"""The model of the GGIK papers: a conditional variational autoencoder of complete graphs."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.ggik.config import LatentConfig
from generative_ik_ros.learned.ggik.generator import Generator
from generative_ik_ros.learned.ggik.latent.egnn import EGNN
from generative_ik_ros.learned.ggik.latent.problems import ArmProblems, Problems, num_features
from generative_ik_ros.learned.graph.arm_graph import ArmGraph, recover
from generative_ik_ros.samplers.uniform import pseudo_random

_LOG_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True)
class SpreadBounds:
    """Bounds of the logarithms of standard deviations."""

    least: float = -6.0
    """The least."""
    most: float = 3.0
    """The greatest."""


BOUNDS = SpreadBounds()


def bounded_log_deviation(raw: Tensor) -> Tensor:
    """Bound logarithms of standard deviations, so that exponentials stay in range."""
    return BOUNDS.least + (BOUNDS.most - BOUNDS.least) * torch.sigmoid(raw + 0.7)


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


class LatentModel(nn.Module):
    """Encoder, prior and decoder, three graph networks (T-RO, section IV; CoRL, section 4.2)."""

    def __init__(self, config: LatentConfig):
        super().__init__()
        self.config = config
        features, hidden, latent = num_features(config), config.hidden, config.latent
        self.encoder = _network(config, features, config.encoder_layers)
        self.prior = _network(config, features, config.encoder_layers)
        self.decoder = _network(config, features + latent, config.decoder_layers)
        self.posterior_head = nn.Linear(hidden, 2 * latent)
        self.prior_head = nn.Linear(hidden, 2 * latent * config.components)
        self.choice_head = nn.Linear(hidden, config.components)

    def prior_of(self, problems: Problems) -> Mixture:
        """Return p(z | partial graph), equation 5, of L latent vectors: one, or one per node."""
        config = self.config
        nodes = self._pooled(self.prior(problems.features, problems.positions, problems), problems)
        shape = (*nodes.shape[:-1], config.components, 2 * config.latent)
        means, raw = self.prior_head(nodes).view(shape).chunk(2, dim=-1)
        return Mixture(self.choice_head(nodes), means, bounded_log_deviation(raw))

    def posterior_of(self, problems: Problems, points: Tensor) -> tuple[Tensor, Tensor]:
        """Return means and log standard deviations (*B, L, D) of q(z | complete graph).

        Args:
            problems: (*B).
            points: (*B, N, 3) of the complete graphs, shares of the arm's length.
        """
        nodes = self._pooled(self.encoder(problems.features, points, problems), problems)
        mean, raw = self.posterior_head(nodes).chunk(2, dim=-1)
        return mean, bounded_log_deviation(raw)

    def decode(self, latents: Tensor, problems: Problems) -> Tensor:
        """Return the mean of p(points | partial graph, z), (*B, N, 3); equation 4.

        Args:
            latents: (*B, L, D).
            problems: (*B), or broadcasting with it.
        """
        shape = (*latents.shape[:-2], problems.exists.shape[-1])
        features = problems.features.expand(*shape, problems.features.shape[-1])
        latents = latents.expand(*shape, latents.shape[-1])
        points = problems.positions.expand(*shape, 3)
        _, decoded = self.decoder(torch.cat([features, latents], dim=-1), points, problems)
        return decoded

    def num_latents(self, nodes: int) -> int:
        """Return the number L of latent vectors of a graph with that many nodes."""
        return nodes if self.config.latents == "node" else 1

    def negative_elbo(self, problems: Problems, points: Tensor, normal: Tensor) -> Tensor:
        """Return the negative of equation 6 per node, (B), by one sample of the latents [nats].

        Args:
            problems: (B).
            points: (B, N, 3) of the complete graphs, shares of the arm's length.
            normal: (B, L, D) standard normal.
        """
        config = self.config
        exists = problems.exists.to(points.dtype)
        mean, log_deviation = self.posterior_of(problems, points)
        latents = mean + torch.exp(log_deviation) * normal
        divergence = normal_log_prob(latents, mean, log_deviation)
        divergence = divergence - self.prior_of(problems).log_prob(latents)
        if config.latents == "node":
            divergence = divergence * exists
        squared = (self.decode(latents, problems) - points).square().sum(-1)
        weight = torch.where(problems.known, config.known_weight, 1.0) * exists
        reconstruction = (weight * squared).sum(-1) / (2.0 * config.sigma**2)
        return (reconstruction + divergence.sum(-1)) / exists.sum(-1)

    def _pooled(self, read: tuple[Tensor, Tensor], problems: Problems) -> Tensor:
        """Return the embeddings (*B, L, H) of latent vectors: each node's, or their mean."""
        nodes, _ = read
        if self.config.latents == "node":
            return nodes
        present = problems.exists[..., None].to(nodes.dtype)
        return (nodes * present).sum(-2, keepdim=True) / present.sum(-2, keepdim=True)


def _network(config: LatentConfig, inputs: int, layers: int) -> nn.Module:
    if config.network == "egnn":
        return EGNN(inputs, config.hidden, layers, config.frame, config.hold_known)
    # The others are for the ablation only, and need torch_geometric.
    from generative_ik_ros.learned.ggik.latent.plain_networks import PlainNetwork

    return PlainNetwork(config.network, inputs, config.hidden, layers, config.hold_known)


class LatentGenerator(Generator):
    """Decodes complete graphs of an arm, and returns the configurations closest to them."""

    def __init__(self, model: LatentModel, arm: ArmGraph, device: torch.device | str):
        self._model, self._arm = model, arm
        dtype = next(model.parameters()).dtype
        self._maker = ArmProblems(arm.to(device, dtype), model.config)
        self._latents = model.num_latents(self._maker.num_nodes)
        self.width = self._latents * (1 + model.config.latent)

    def numbers(self, random_seed: int, first: int, count: int) -> Floats:
        """Return pseudo-random numbers."""
        return pseudo_random(random_seed, first, count, self.width)

    def draw(self, targets: Tensor, unit: Tensor, number: int = 0) -> tuple[Tensor, Tensor]:
        """Return configurations, see `Generator`; by how much they miss is not known: 0.

        Points that base and target fix stay there.
        """
        problems = self._maker.of_targets(targets)
        unit = unit.unflatten(-1, (self._latents, -1))
        # Not quite 0 or 1, which would be infinite.
        normal = torch.special.ndtri(unit[..., 1:].clamp(1e-6, 1.0 - 1e-6))
        prior = self._model.prior_of(problems)[:, None]
        chance, normal = (
            part.expand(len(targets), *part.shape) for part in (unit[..., 0], normal)
        )
        latents = prior.sample(chance, normal)
        one = problems[:, None]
        points = self._model.decode(latents, one)
        points = torch.where(one.known[..., None], one.positions, points)
        points = points * problems.scale[:, None, None, None]
        q = recover(self._arm, points.double().cpu())
        return q, q.new_zeros(q.shape[:-1])
