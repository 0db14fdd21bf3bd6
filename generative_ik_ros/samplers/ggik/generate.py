"""A model, problems and random numbers in, sampled complete graphs out."""

import torch
from torch import Tensor

from generative_ik_ros.samplers.ggik.mixture import Mixture
from generative_ik_ros.samplers.ggik.model import GGIK
from generative_ik_ros.samplers.ggik.problems import Problems


def decode_points(
    model: GGIK, problems: Problems, prior: Mixture, chance: Tensor, normal: Tensor
) -> Tensor:
    """Return K sampled complete graphs of each of T problems, (T, K, N, 3) [m].

    What base and target place stays where it is known to be.

    Args:
        model: The model.
        problems: (T).
        prior: Of these problems, `model.prior_of(problems)`.
        chance: (K, L) uniform in [0, 1), the same for every problem.
        normal: (K, L, D) standard normal.
    """
    count = len(problems.scale)
    latents = prior[:, None].sample(
        chance.expand(count, *chance.shape), normal.expand(count, *normal.shape)
    )
    one = problems[:, None]
    points = torch.where(one.known[..., None], one.positions, model.decode(latents, one))
    return points * problems.scale[:, None, None, None]
