"""Small GGIK models for tests: untrained, so that every weight has an effect."""

from dataclasses import replace

import torch

from generative_ik_ros.learned.checkpoint import save_checkpoint
from generative_ik_ros.learned.ggik.config import AutoregressiveConfig, LatentConfig
from generative_ik_ros.learned.ggik.latent.problems import ArmProblems
from generative_ik_ros.learned.ggik.models import make_model
from generative_ik_ros.learned.ggik.weights import to_checkpoint
from generative_ik_ros.learned.graph.arm_graph import ArmGraph

LATENT = LatentConfig(hidden=8, encoder_layers=2, decoder_layers=2, latent=3, components=4)
AUTOREGRESSIVE = AutoregressiveConfig(hidden=20, blocks=2, memory=8, components=5)


def small_model(seed=0, config=LATENT, dtype=torch.float64, **settings):
    torch.manual_seed(seed)
    model = make_model(replace(config, **settings)).to(dtype)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return model


def write_latent(path, robots, figures=None, **settings):
    return _write(path, small_model(**settings), robots, figures)


def write_autoregressive(path, robots, figures=None, **settings):
    model = small_model(config=AUTOREGRESSIVE, dtype=torch.float32, **settings)
    return _write(path, model, robots, figures)


def _write(path, model, robots, figures):
    training = {} if figures is None else {"figures": figures}
    save_checkpoint(path, to_checkpoint(model.config, model.state_dict(), robots, training))
    return path


def maker_for(chain, config=LATENT):
    return ArmProblems(ArmGraph.of(chain), config)


def targets_for(chain, count, seed=0):
    """(count, 4, 4) canonical targets that the chain reaches."""
    lines = ArmGraph.of(chain).lines
    generator = torch.Generator().manual_seed(seed)
    unit = torch.rand((count, lines.num_variables), generator=generator, dtype=torch.float64)
    return lines.forward(lines.uniform(unit))
