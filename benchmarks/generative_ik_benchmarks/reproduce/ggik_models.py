"""The GGIK models that are measured: those at hand, and short trainings for single tables.

Tables I, V and CoRL's 4 compare models that have no other use, so that they are not shipped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.reproduce.ggik_published import (
    MANY_ROBOTS,
    NETWORKS,
    ONE_ROBOT,
    UNSEEN_ROBOTS,
)
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.checkpoint import package_weights, user_weights
from generative_ik_ros.learned.ggik.config import (
    AUTOREGRESSIVE,
    AutoregressiveConfig,
    LatentConfig,
)
from generative_ik_ros.learned.ggik.config import NETWORKS as LATENT_NETWORKS
from generative_ik_ros.learned.ggik.latent.model import LatentModel
from generative_ik_ros.learned.ggik.models import arm_for
from generative_ik_ros.learned.ggik.weights import TrainedModel, load_model
from generative_ik_ros.learned.training.config import TrainOptions
from generative_ik_ros.learned.training.ggik_data import arm_source
from generative_ik_ros.learned.training.ggik_task import ggik_task
from generative_ik_ros.learned.training.loop import train

KINDS = ("only", "network", "varied")
"""How the names of jobs begin."""
_VARIED = 0.4
_ALIKE = ("iiwa", "lwa4d", "lwa4p")
"""Robots that CoRL's table 4 varies."""


def models_at_hand(more: Sequence[Path] = ()) -> dict[Path, TrainedModel]:
    """Load the models of the user's and the package's folder, and more of them.

    Raises:
        CheckpointError: A file is unusable.
        GenerativeIKError: There are none.
    """
    folders = [folder / "ggik" for folder in (user_weights(), package_weights())]
    paths = [path for folder in folders for path in sorted(folder.glob("*-robo*.safetensors"))]
    paths = [path for path in paths if not path.stem.endswith(".training")]
    models = {path: load_model(path) for path in dict.fromkeys([*paths, *more])}
    if not models:
        raise GenerativeIKError(
            "there are no weights of GGIK; train some: generative-ik train ggik --help"
        )
    return models


def network_of(trained: TrainedModel) -> str:
    """Return "autoregressive", or the graph network of a model with latent variables."""
    model = trained.model
    return model.config.network if isinstance(model, LatentModel) else AUTOREGRESSIVE


def purpose_of(trained: TrainedModel) -> str:
    """Return which tables a model belongs to."""
    if network_of(trained) not in (AUTOREGRESSIVE, "egnn"):
        return NETWORKS
    return {0: UNSEEN_ROBOTS, 1: ONE_ROBOT}.get(len(trained.robots), MANY_ROBOTS)


def takes_part(trained: TrainedModel, case: ChainCase) -> bool:
    """Return whether a model is measured on a chain: one that it knows, or if it is for any."""
    return not trained.robots or trained.knows(case.chain)


@dataclass(frozen=True)
class Job:
    """A model to train.

    Attributes:
        name: Of its file.
        purpose: Which tables it is for.
        network: "autoregressive", or the graph network of a model with latent variables.
        cases: Robots to train for, and to measure on.
        vary: Largest relative change of their lengths in training.
    """

    name: str
    purpose: str
    network: str
    cases: tuple[ChainCase, ...]
    vary: float = 0.0


def jobs(cases: Sequence[ChainCase], kinds: Sequence[str] = KINDS) -> list[Job]:
    """Return what the tables need: a model a robot, one of each network, one for variations."""
    found = [Job(f"only-{one.stem}", ONE_ROBOT, AUTOREGRESSIVE, (one,)) for one in cases]
    for network in (AUTOREGRESSIVE, *LATENT_NETWORKS):
        found.append(Job(f"network-{network}", NETWORKS, network, tuple(cases)))
    alike = tuple(case for case in cases if case.stem in _ALIKE)
    if alike:
        found.append(Job("varied", UNSEEN_ROBOTS, AUTOREGRESSIVE, alike, _VARIED))
    return [job for job in found if job.name.startswith(tuple(kinds))]


def train_short(job: Job, samples: int, path: Path, device: str = "cpu") -> None:
    """Train a model of the usual size on so many configurations, and write it.

    Comparisons give each model as many.
    """
    where = torch.device(device)
    chains = {case.stem: case.chain for case in job.cases}
    robots = {} if job.vary else {name: chain.fingerprint for name, chain in chains.items()}
    autoregressive = job.network == AUTOREGRESSIVE
    config = AutoregressiveConfig() if autoregressive else LatentConfig(network=job.network)
    task = ggik_task(
        arm_source(chains, where, vary=job.vary, prepared=partial(arm_for, config)),
        config,
        robots,
        {},
        where,
        jitter=0.05,
    )
    batch = 256 if autoregressive else 64
    options = TrainOptions(
        steps=max(1, samples // batch),
        batch=batch,
        warm_up=20,
        ema=0.98,
        patience=1e3,
        evaluate_every=0.0,
        checkpoint_every=1e9,
        report_every=1e9,
    )
    train(task, options, path, fingerprint=path.stem)
