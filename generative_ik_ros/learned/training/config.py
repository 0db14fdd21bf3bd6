"""The training configuration: everything that a training reads, and the task that it makes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from generative_ik_ros.learned.settings import Settings, setting

if TYPE_CHECKING:
    import torch

    from generative_ik_ros.learned.training.task import TrainingTask
    from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class Prepared:
    """A training that is ready to run.

    Attributes:
        task: What is trained.
        output: Where its weights are looked for, and written if nothing else is said.
        trained_on: Name of the arms, which a resumed training checks.
        facts: What else there is to know of the weights, by name.
    """

    task: "TrainingTask"
    output: Path
    trained_on: str
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TrainOptions(Settings):
    """The training loop."""

    minutes: float = setting(
        20.0,
        "Time to train [min], all runs of a resumed training together; the learning rate's "
        "schedule fits it.",
        above=0.0,
    )
    steps: int | None = setting(
        None,
        "Train so many steps instead, however long they take: exactly repeatable, to compare "
        "settings.",
        least=1,
    )
    batch: int | None = setting(
        None, "Samples per step and process; null: by model and device.", least=1
    )
    learning_rate: float = setting(2e-3, "Of AdamW at its highest.", above=0.0, most=1e3)
    warm_up: int = setting(200, "Steps over which the learning rate rises.", least=0)
    weight_decay: float = setting(1e-4, "Of AdamW.", least=0.0)
    gradient_norm: float = setting(5.0, "Longer gradients are scaled down to this.", above=0.0)
    ema: float = setting(
        0.999,
        "Greatest decay of the moving average of the weights, which is what is written.",
        least=0.0,
        below=1.0,
    )
    check_every: int = setting(20, "Steps between checks of the loss.", least=1)
    patience: float | None = setting(
        None,
        "Rise of the running loss over its best that counts as divergence; null: by model.",
        above=0.0,
    )
    recoveries: int = setting(
        8, "How often training may go back to a good state before it is given up.", least=0
    )
    checkpoint_every: float = setting(60.0, "Time between checkpoints [s].", least=0.0)
    evaluate_every: float = setting(
        120.0, "Time between evaluations [s]; 0: only at the end.", least=0.0
    )
    report_every: float = setting(10.0, "Time between lines of progress [s].", least=0.0)
    seed: int = setting(0, "Of the first weights and of all data.", least=0)
    half: bool = setting(False, "Write weights in 16 bit.")
    tensorboard: Path | None = setting(None, "Folder for a TensorBoard log; null: none.")


@dataclass(frozen=True)
class TrainingConfig(TrainOptions):
    """The machine."""

    threads: int = setting(0, "CPU threads; 0: PyTorch's choice.", least=0)
    tf32: bool = setting(False, "Multiply matrices in TensorFloat-32 (GPU).")

    def values_of(self, part: type[Settings]) -> dict[str, Any]:
        """Return those values by name that another class of settings has, too."""
        values = asdict(self)
        return {one.name: values[one.name] for one in fields(part)}


@dataclass(frozen=True)
class Acceleration(Settings):
    """Faster steps."""

    compile: bool = setting(False, "Use torch.compile.")
    bf16: bool = setting(False, "Multiply matrices in bfloat16.")


@dataclass(frozen=True)
class ChainTraining(TrainingConfig):
    """Trainings for one chain."""

    sampler: ClassVar[str]

    def ready(
        self, task: "TrainingTask", start: "torch.nn.Module | None", chain: "KinematicChain"
    ) -> Prepared:
        """Return the training of a task that begins with the weights of a model, if given."""
        from generative_ik_ros.learned.checkpoint import user_weights, weights_path

        if start is not None:
            task.model.load_state_dict(start.state_dict())
        mark = chain.fingerprint
        path = weights_path(user_weights(), self.sampler, mark)
        return Prepared(task, path, mark, {"fingerprint": mark})
