"""Small GGIK models for tests: untrained, so that every weight has its say."""

from dataclasses import replace

import torch

from generative_ik_ros.learned.checkpoint import save_checkpoint
from generative_ik_ros.learned.ggik.config import GGIKConfig, WalkConfig
from generative_ik_ros.learned.ggik.model import GGIK
from generative_ik_ros.learned.ggik.problems import ArmProblems
from generative_ik_ros.learned.ggik.walk import Walk
from generative_ik_ros.learned.ggik.weights import to_checkpoint
from generative_ik_ros.learned.graph.arm_graph import ArmGraph

SMALL = GGIKConfig(hidden=8, encoder_layers=2, decoder_layers=2, latent=3, components=4)
SMALL_WALK = WalkConfig(hidden=20, blocks=2, memory=8, components=5)


def small_model(seed=0, **settings):
    torch.manual_seed(seed)
    model = GGIK(replace(SMALL, **settings)).double()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return model


def write_model(path, robots, figures=None, **settings):
    return _write(path, small_model(**settings), robots, figures)


def write_walk(path, robots, figures=None, seed=0, **settings):
    torch.manual_seed(seed)
    model = Walk(replace(SMALL_WALK, **settings))
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return _write(path, model, robots, figures)


def _write(path, model, robots, figures):
    training = {} if figures is None else {"figures": figures}
    save_checkpoint(path, to_checkpoint(model.config, model.state_dict(), robots, training))
    return path


def maker_for(chain, config=SMALL):
    return ArmProblems(ArmGraph.of(chain), config)


def targets_for(chain, count, seed=0):
    """(count, 4, 4) canonical targets that the chain reaches."""
    lines = ArmGraph.of(chain).lines
    generator = torch.Generator().manual_seed(seed)
    unit = torch.rand((count, lines.num_variables), generator=generator, dtype=torch.float64)
    return lines.forward(lines.middle + lines.half * (2.0 * unit - 1.0))
