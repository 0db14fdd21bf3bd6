"""The settings of the training loop."""

from dataclasses import dataclass
from pathlib import Path

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.settings import Settings, setting


class TrainingDivergedError(GenerativeIKError, RuntimeError):
    """Training diverged again and again, however often it went back to a good state."""


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
    learning_rate: float = setting(2e-3, "Of AdamW at its highest.", above=0.0)
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
