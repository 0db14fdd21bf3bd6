"""Weight files of GGIK models, and the choice of the one for a chain.

One file serves many robots, so files are named after what they were trained on: `multi-robot` is
for the arms that it lists, `random-robots` for any other arm.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.checkpoint import (
    Checkpoint,
    CheckpointError,
    MissingWeightsError,
    load_checkpoint,
    package_weights,
    user_weights,
    weights_path,
)
from generative_ik_ros.learned.ggik.config import config_from_json
from generative_ik_ros.learned.ggik.models import Config, Model, make_model
from generative_ik_ros.learned.network_weights import filled
from generative_ik_ros.robot.chain import KinematicChain

NAME = "ggik"
MULTI, RANDOM = "multi-robot", "random-robots"


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A model and what it was trained on.

    Attributes:
        model: Ready to sample.
        robots: Fingerprints, by name, of the arms that it was trained on; empty for random arms.
        checkpoint: The file's content.
    """

    model: Model
    robots: Mapping[str, str]
    checkpoint: Checkpoint

    def knows(self, chain: KinematicChain) -> bool:
        """Return whether it was trained on the chain."""
        return chain.fingerprint in self.robots.values()


def purpose(robots: Mapping[str, str]) -> str:
    """Return the name of the file of a model that was trained on these arms."""
    return MULTI if robots else RANDOM


def model_path(folder: Path, robots: Mapping[str, str]) -> Path:
    """Return the path, in a folder of weights, of a model that was trained on these arms."""
    return weights_path(folder, NAME, purpose(robots))


def to_checkpoint(
    config: Config,
    weights: Mapping[str, Tensor],
    robots: Mapping[str, str],
    training: Mapping[str, object],
) -> Checkpoint:
    """Describe a model's weights for `save_checkpoint`."""
    return Checkpoint(
        sampler=NAME,
        fingerprint=purpose(robots),
        config={"model": config.as_json(), "robots": dict(robots)},
        training=training,
        tensors={name: values.detach().float().cpu().numpy() for name, values in weights.items()},
    )


def load_model(path: Path) -> TrainedModel:
    """Read a model, ready to sample.

    Raises:
        CheckpointError: The file is unusable; the message names it and says why.
    """
    checkpoint = load_checkpoint(path, sampler=NAME)
    content, robots = checkpoint.config.get("model"), checkpoint.config.get("robots")
    if not isinstance(content, dict) or not isinstance(robots, dict):
        raise CheckpointError(f"{path}: its configuration is damaged")
    try:
        config = config_from_json(content)
    except GenerativeIKError as error:
        raise CheckpointError(f"{path}: {error}") from None
    return TrainedModel(filled(path, checkpoint, lambda: make_model(config)), robots, checkpoint)


def find_model(chain: KinematicChain) -> tuple[TrainedModel, Path]:
    """Find the model for a chain: one that was trained on it, else one for any arm.

    The user's folder is searched before the package's.

    Raises:
        MissingWeightsError: There is none.
        CheckpointError: A file is unusable.
    """
    folders = (user_weights(), package_weights())
    places = [weights_path(folder, NAME, kind) for kind in (MULTI, RANDOM) for folder in folders]
    for path in places:
        if path.is_file():
            trained = load_model(path)
            if not trained.robots or trained.knows(chain):
                return trained, path
    raise MissingWeightsError(
        f"sampler '{NAME}' has no weights for the chain from '{chain.base_link}' to "
        f"'{chain.tip_link}' (fingerprint {chain.fingerprint}): looked in "
        f"{', '.join(map(str, places))}. Train some for any arm: generative-ik train {NAME} "
        "--random-robots --minutes 40; or use sampler 'quasi_random', which needs none"
    )
