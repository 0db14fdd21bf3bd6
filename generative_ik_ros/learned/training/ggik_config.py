"""The training configuration of GGIK, whose models serve many arms."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.ggik.config import (
    AUTOREGRESSIVE,
    AUTOREGRESSIVE_IN_FILES,
    GENERATORS,
    SIZE,
    AutoregressiveConfig,
    AutoregressiveShape,
    LatentConfig,
    LatentShape,
)
from generative_ik_ros.learned.settings import Settings, setting, with_default
from generative_ik_ros.learned.training.config import (
    Acceleration,
    Prepared,
    TrainingConfig,
    TrainOptions,
)

if TYPE_CHECKING:
    import torch

    from generative_ik_ros.robot.chain import KinematicChain

_JOINTS = (6, 7)
"""Of random arms, as in the paper."""
_MEASURED = ("iiwa", "lwa4d", "lwa4p", "panda", "ur10")
"""Robots that a model for any arm is measured on while it is trained: the paper's."""


@dataclass(frozen=True)
class Arms(Settings):
    """The arms to train on."""

    robots: tuple[str, ...] = setting(
        (), "Names that `generative-ik robots` lists, or FILE.urdf, FILE.urdf:BASE:TIP."
    )
    random_robots: bool = setting(False, "A new random arm with 6 or 7 joints for each problem.")
    vary: float = setting(
        0.0,
        "Vary the lengths of the robots by up to this share, such as 0.4.",
        least=0.0,
        below=1.0,
    )


@dataclass(frozen=True)
class Autoregressive(AutoregressiveShape):
    """The training of `autoregressive`."""

    sliding: float = setting(
        0.1, "Share of the random arms with a prismatic joint.", least=0.0, most=1.0
    )
    jitter: float = setting(
        0.05, "Largest error of a joint that the next ones learn to make up for [rad].", least=0.0
    )


@dataclass(frozen=True)
class GGIKTraining(Arms, LatentShape, Autoregressive, Acceleration, TrainingConfig):
    """The model."""

    minutes: float = with_default(TrainOptions, "minutes", 40.0)
    generator: str = setting(
        AUTOREGRESSIVE,
        "autoregressive: joint by joint; latent: all joints at once, as in the papers.",
        choices=GENERATORS,
    )
    hidden: int | None = setting(
        None, "Width of the networks; null: 128 for autoregressive, 32 for latent.", **SIZE
    )
    components: int | None = setting(
        None, "Components of a mixture; null: 16 for autoregressive, 8 for latent.", **SIZE
    )

    def __post_init__(self):
        """Check that the arms are named.

        Raises:
            InvalidArgumentError: A setting is not valid, or `robots` and `random_robots` together
                without `vary`.
        """
        if self.generator == AUTOREGRESSIVE_IN_FILES:
            object.__setattr__(self, "generator", AUTOREGRESSIVE)
        super().__post_init__()
        if self.robots and self.random_robots and not self.vary:
            raise InvalidArgumentError("robots with random_robots needs vary, such as 0.4")

    def model_config(self) -> AutoregressiveConfig | LatentConfig:
        """Return the configuration of the model."""
        kind = AutoregressiveConfig if self.generator == AUTOREGRESSIVE else LatentConfig
        values = self.values_of(kind)
        return kind(**{name: value for name, value in values.items() if value is not None})

    def prepare(self, device: "torch.device", start_from: Path | None) -> Prepared:
        """Make the task.

        Args:
            device: Where to train.
            start_from: Weights to begin with; they replace what is said of the model. None for
                new ones.

        Raises:
            GenerativeIKError: There is no such robot, the model cannot be made, or the weights not
                be used.
        """
        if not self.robots and not self.random_robots:
            raise InvalidArgumentError("give --robots NAMES, --random-robots, or both with --vary")
        from generative_ik_ros.learned.checkpoint import user_weights
        from generative_ik_ros.learned.ggik.models import arm_for
        from generative_ik_ros.learned.ggik.weights import load_model, model_path, purpose
        from generative_ik_ros.learned.training.ggik_data import arm_source
        from generative_ik_ros.learned.training.ggik_task import ggik_task
        from generative_ik_ros.robot.known import load_robot

        names = [name.rpartition("/")[2] for name in self.robots]
        if len(set(names)) < len(names):  # files of one name, which their folders tell apart
            names = self.robots
        chains = {name: _chain(robot) for name, robot in zip(names, self.robots, strict=True)}
        start = None if start_from is None else load_model(start_from).model
        config = self.model_config() if start is None else start.config
        known = {name: chain.fingerprint for name, chain in chains.items()}
        known = {} if self.vary or self.random_robots else known
        source = arm_source(
            chains,
            device,
            joints=_JOINTS if self.random_robots else (),
            sliding=self.sliding if isinstance(config, AutoregressiveConfig) else 0.0,
            vary=self.vary,
            prepared=partial(arm_for, config),
        )
        task = ggik_task(
            source,
            config,
            known,
            chains or {name: load_robot(name) for name in _MEASURED},
            device,
            seed=self.seed,
            compiled=self.compile,
            bf16=self.bf16,
            jitter=self.jitter,
        )
        if start is not None:
            task.model.load_state_dict(start.state_dict())
        path = model_path(user_weights(), known)
        return Prepared(task, path, self._trained_on(chains), {"purpose": purpose(known)})

    def _trained_on(self, chains: "Mapping[str, KinematicChain]") -> str:
        """Name what is trained on, which a resumed training compares."""
        arms = [f"random {'/'.join(map(str, _JOINTS))}"] if self.random_robots else []
        varied = f" +-{self.vary:g}" if self.vary else ""
        return ", ".join(arms + [chain.fingerprint + varied for chain in chains.values()])


def _chain(name: str) -> "KinematicChain":
    """Return the chain of a robot of the package, or of FILE.urdf[:BASE:TIP]."""
    from generative_ik_ros.robot.chain import KinematicChain
    from generative_ik_ros.robot.known import load_robot

    file, *links = name.split(":")
    if not file.endswith(".urdf"):
        return load_robot(name)
    base, tip = (*(link or None for link in links), None, None)[:2]
    return KinematicChain.from_urdf(Path(file), base, tip)
