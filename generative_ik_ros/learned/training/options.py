"""How long and how to train: checked settings."""

from dataclasses import dataclass
from pathlib import Path

from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError


class TrainingDivergedError(GenerativeIKError, RuntimeError):
    """Training diverged again and again, however often it went back to a good state."""


@dataclass(frozen=True)
class TrainOptions:
    """Settings of the loop.

    Attributes:
        minutes: Time to train, all runs of a resumed training together; the schedule fits it.
        steps: Train so many steps instead; exactly repeatable, for tests and comparisons.
        batch: Samples a step and process.
        learning_rate: Of AdamW at its highest.
        warm_up: Steps over which the learning rate rises.
        weight_decay: Of AdamW.
        gradient_norm: Longer gradients are scaled down to this.
        ema: Greatest decay of the moving average of the weights, which is what is kept.
        check_every: Steps between looks at the loss.
        patience: Rise of the running loss over its best [nats] that counts as divergence.
        recoveries: How often training may go back before it is given up.
        checkpoint_every: Seconds between checkpoints.
        evaluate_every: Seconds between evaluations; 0 is only at the end.
        report_every: Seconds between reports.
        seed: Of everything.
        half: Write weights in 16 bit.
        tensorboard: Folder for TensorBoard's log, None for none.
    """

    minutes: float = 20.0
    steps: int | None = None
    batch: int = 1024
    learning_rate: float = 2e-3
    warm_up: int = 200
    weight_decay: float = 1e-4
    gradient_norm: float = 5.0
    ema: float = 0.999
    check_every: int = 20
    patience: float = 5.0
    recoveries: int = 8
    checkpoint_every: float = 60.0
    evaluate_every: float = 120.0
    report_every: float = 10.0
    seed: int = 0
    half: bool = False
    tensorboard: Path | None = None

    def __post_init__(self):
        """Refuse what cannot be trained with.

        Raises:
            InvalidArgumentError: A value is outside its range.
        """
        for name in ("minutes", "batch", "learning_rate", "gradient_norm", "check_every"):
            if not 0 < getattr(self, name) < float("inf"):
                raise InvalidArgumentError(f"{name} must be above 0, not {getattr(self, name)!r}")
        if self.steps is not None and self.steps < 1:
            raise InvalidArgumentError(f"steps must be at least 1, not {self.steps}")
        if not 0.0 <= self.ema < 1.0:
            raise InvalidArgumentError(f"ema must be from 0 to below 1, not {self.ema!r}")
