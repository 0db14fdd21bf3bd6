"""Chains and a number of configurations in, a file with a model that has seen so many out."""

from collections.abc import Mapping
from pathlib import Path

import torch

from generative_ik_ros.learned.ggik.config import WALK, GGIKConfig, WalkConfig
from generative_ik_ros.learned.training.ggik_data import Mixed, sources_for
from generative_ik_ros.learned.training.ggik_tasks import ggik_task
from generative_ik_ros.learned.training.loop import train
from generative_ik_ros.learned.training.options import TrainOptions
from generative_ik_ros.robot.chain import KinematicChain

_BATCHES = {True: 256, False: 64}
"""By whether a model goes joint by joint."""


def train_short(
    chains: Mapping[str, KinematicChain],
    network: str,
    samples: int,
    path: Path,
    *,
    vary: float = 0.0,
    device: str = "cpu",
) -> None:
    """Train a model of the usual size, for comparisons that give each model as much.

    Args:
        chains: Arms to train for, by name.
        network: "walk", or the network of a model with latents.
        samples: Configurations to train with.
        path: File to write.
        vary: Largest relative change of the arms' lengths; the model then knows none of them.
        device: Where to train.
    """
    walks, where = network == WALK, torch.device(device)
    robots = {} if vary else {name: chain.fingerprint for name, chain in chains.items()}
    task = ggik_task(
        Mixed(sources_for(chains, where, vary=vary)),
        WalkConfig() if walks else GGIKConfig(network=network),
        robots,
        {},
        where,
        jitter=0.05,
    )
    options = TrainOptions(
        steps=max(1, samples // _BATCHES[walks]),
        batch=_BATCHES[walks],
        warm_up=20,
        ema=0.98,
        patience=1e3,
        evaluate_every=0.0,
        checkpoint_every=1e9,
        report_every=1e9,
    )
    train(task, options, path, fingerprint=path.stem)
