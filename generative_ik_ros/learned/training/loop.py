"""The training loop: from a task and its options to a file of weights."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from torch import Tensor

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.checkpoint import save_checkpoint
from generative_ik_ros.learned.training.config import TrainOptions
from generative_ik_ros.learned.training.distributed import Peers
from generative_ik_ros.learned.training.log import Log, log_path
from generative_ik_ros.learned.training.state import TrainingState
from generative_ik_ros.learned.training.task import TrainingTask


class Clock:
    """Says how far a training is, by steps or by time, the same in every process.

    The clock of the first process counts, and the state's counters keep the time.
    """

    def __init__(self, state: TrainingState, options: TrainOptions, peers: Peers):
        self._state, self._options, self._peers = state, options, peers
        self._last: float | None = None
        self._since = {"report": 0.0, "evaluate": 0.0, "checkpoint": 0.0}

    def begin(self) -> None:
        """Start after the first step, which may have compiled for a minute."""
        if self._last is None:
            self._last = time.perf_counter()

    def tick(self) -> None:
        """Add the time since the last tick."""
        now = time.perf_counter()
        last = now if self._last is None else self._last
        elapsed = torch.tensor([now - last], dtype=torch.float64)
        if self._peers.count > 1:
            elapsed = self._peers.same(elapsed.to(self._peers.device, torch.float32))
        self._last = now
        self._state.counters.seconds += float(elapsed)
        for name in self._since:
            self._since[name] += float(elapsed)

    def done(self) -> float:
        """Return the share of the training that is over."""
        options, counters = self._options, self._state.counters
        if options.steps is not None:
            return counters.step / options.steps
        return counters.seconds / (60.0 * options.minutes)

    def schedule(self) -> float:
        """Return the factor of the learning rate: a linear rise, then half a cosine."""
        rise = min(1.0, (self._state.counters.step + 1) / max(self._options.warm_up, 1))
        return rise * 0.5 * (1.0 + math.cos(math.pi * min(self.done(), 1.0)))

    def due(self, name: str, every: float) -> bool:
        """Say whether something that is done every so many seconds is due."""
        if every <= 0.0 or self._since[name] < every:
            return False
        self._since[name] = 0.0
        return True


class TrainingDivergedError(GenerativeIKError, RuntimeError):
    """Training diverged again and again, however often it went back to a good state."""


@dataclass(frozen=True)
class Progress:
    """What a training reports.

    Attributes:
        step: Steps done.
        loss: Running loss.
        samples_per_second: Of all processes together, since the last report; of the one before if
            there were none since.
        seconds: Time spent, all runs together [s].
        seconds_left: Time to the end [s].
        recoveries: Times that training went back to a good state.
        figures: Of an evaluation, when this report is of one.
    """

    step: int
    loss: float
    samples_per_second: float
    seconds: float
    seconds_left: float
    recoveries: int
    figures: Mapping[str, float] = field(default_factory=dict)


def state_path(output: Path) -> Path:
    """Return where the state of a training is kept, beside the weights that it writes."""
    return output.with_name(f"{output.stem}.training.safetensors")


def train(
    task: TrainingTask,
    options: TrainOptions,
    output: Path,
    *,
    fingerprint: str,
    resume: bool = False,
    report: Callable[[Progress], None] = lambda _: None,
) -> dict[str, object]:
    """Train until the time is over; write weights and state every minute and at the end.

    Evaluations are written beside the weights, see `log_path`.

    The data of a step depend only on the seed, the step, the process and the number of
    recoveries, so that a resumed training goes on exactly as one that was never stopped.

    Args:
        task: What to train.
        options: How.
        output: File of the weights (the moving average); the state goes beside it.
        fingerprint: Of the chain; a state of another chain is not resumed.
        resume: Go on from the state beside `output`.
        report: Called with progress, in the first process only.

    Returns:
        The summary that the weights' file has too.

    Raises:
        TrainingDivergedError: The loss rises or is not finite, again and again.
        CheckpointError: A file cannot be written, or the state to resume from not be used.
    """
    run = _Run(task, options, output, fingerprint, resume, report)
    clock = run.clock
    while clock.done() < 1.0:
        run.step()
        # Reading a loss waits for the device: not every step.
        steps = run.state.counters.step
        if steps % options.check_every and steps != options.steps:
            continue
        if run.diverged():
            run.recover()
            continue
        clock.tick()
        if clock.due("report", options.report_every):
            run.report_progress()
        if clock.due("evaluate", options.evaluate_every):
            run.evaluate()
        if clock.due("checkpoint", options.checkpoint_every):
            run.checkpoint()
    clock.tick()
    return run.finish()


class _Run:
    """One run of the loop: the model's state and everything that is done with it."""

    def __init__(
        self,
        task: TrainingTask,
        options: TrainOptions,
        output: Path,
        fingerprint: str,
        resume: bool,
        report: Callable[[Progress], None],
    ):
        self._task, self._options, self._output = task, options, output
        self._fingerprint = fingerprint
        self._batch = options.batch or task.batch_sizes[task.device.type]
        self._patience = options.patience or task.patience
        self._peers = Peers.join(task.device)
        torch.manual_seed(options.seed)
        self.state = TrainingState(task.model, options.learning_rate, options.weight_decay)
        self._config = dict(task.checkpoint({}, {}).config)
        if resume:
            self.state.load(state_path(output), self._config, fingerprint)
        self._generator = torch.Generator(task.device)
        self.clock = Clock(self.state, options, self._peers)
        self._log = Log(None, None, None)
        self._report = lambda _: None
        if self._peers.first:
            done = self.state.counters.step if resume else None
            self._log, self._report = Log(log_path(output), done, options.tensorboard), report
        self._good = self.state.snapshot(), replace(self.state.counters)
        self._figures: dict[str, float] = {}
        self._losses: list[Tensor] = []
        self._loss = math.nan
        self._window, self._speed = (0.0, 0), math.nan

    def step(self) -> None:
        """Do one step of the optimiser."""
        options, state = self._options, self.state
        counters = state.counters
        seed = _seed(options.seed, counters.step, counters.attempt, self._peers.rank)
        self._generator.manual_seed(seed)
        for group in state.optimizer.param_groups:
            group["lr"] = options.learning_rate * counters.rate * self.clock.schedule()
        loss = self._task.loss(self._batch, self._generator)
        loss.backward()
        self._peers.average_gradients(state.weights.values())
        torch.nn.utils.clip_grad_norm_(state.weights.values(), options.gradient_norm)
        state.optimizer.step()
        state.optimizer.zero_grad(set_to_none=True)
        counters.step += 1
        self.clock.begin()
        counters.samples += self._batch * self._peers.count
        state.update_average(options.ema)
        self._losses.append(loss.detach())

    def diverged(self) -> bool:
        """Add the last steps' losses to the running loss; say whether training has diverged."""
        self._loss = loss = float(self._peers.same(torch.stack(self._losses).mean()))
        self._losses.clear()
        counters, weights = self.state.counters, self.state.weights.values()
        if not (math.isfinite(loss) and all(bool(w.isfinite().all()) for w in weights)):
            return True
        fresh = not math.isfinite(counters.running)
        counters.running = loss if fresh else 0.9 * counters.running + 0.1 * loss
        counters.best = min(counters.best, counters.running)
        return counters.running > counters.best + self._patience

    def recover(self) -> None:
        """Go back to the last good state, with half the learning rate and other data.

        Raises:
            TrainingDivergedError: That was done too often already.
        """
        counters, options = self.state.counters, self._options
        if counters.attempt >= options.recoveries:
            self._log.close()
            raise TrainingDivergedError(
                f"training diverged {counters.attempt + 1} times (loss {self._loss:.3g} at step "
                f"{counters.step}); try a lower learning rate than {options.learning_rate:g}"
            )
        weights, good = self._good
        self.state.restore(weights)
        self.state.counters = replace(
            good,
            attempt=counters.attempt + 1,
            rate=counters.rate / 2.0,
            seconds=counters.seconds,
        )

    def report_progress(self) -> None:
        """Report where the training stands."""
        progress = self._progress()
        rates = {"loss": progress.loss, "samples_per_second": progress.samples_per_second}
        self._log.scalars(progress.step, rates)
        self._report(progress)

    def evaluate(self) -> None:
        """Evaluate the moving average, which is what is written, and report the figures."""
        self.state.swap()
        self._task.model.eval()
        try:
            self._figures = dict(self._task.evaluate())
        finally:
            self._task.model.train()
            self.state.swap()
        counters = self.state.counters
        self._log.evaluation(counters.step, counters.samples, counters.seconds, self._figures)
        self._report(replace(self._progress(), figures=self._figures))

    def checkpoint(self) -> dict[str, object]:
        """Remember the state as a good one; write weights and state and return the summary."""
        counters, options = self.state.counters, self._options
        self._good = self.state.snapshot(), replace(counters)
        if not self._peers.first:
            return {}
        summary: dict[str, object] = {
            "steps": counters.step,
            "samples": counters.samples,
            "minutes": round(counters.seconds / 60.0, 2),
            "loss": counters.running,
            "recoveries": counters.attempt,
            "device": str(self._task.device),
            "batch": self._batch,
            "learning_rate": options.learning_rate,
            "seed": options.seed,
            "figures": dict(self._figures),
        }
        weights = self._task.checkpoint(self.state.average, summary)
        save_checkpoint(self._output, weights, half=options.half)
        self.state.save(state_path(self._output), self._config, self._fingerprint)
        return summary

    def finish(self) -> dict[str, object]:
        """Evaluate and write what the training has come to."""
        self.evaluate()
        self._log.close()
        summary = self.checkpoint()
        self._peers.leave()
        return summary

    def _progress(self) -> Progress:
        counters, done = self.state.counters, self.clock.done()
        seconds, samples = self._window
        if counters.samples > samples and counters.seconds > seconds:
            self._speed = (counters.samples - samples) / (counters.seconds - seconds)
            self._window = (counters.seconds, counters.samples)
        left = counters.seconds / done * (1.0 - done) if done > 0.0 else math.inf
        return Progress(
            step=counters.step,
            loss=counters.running,
            samples_per_second=self._speed,
            seconds=counters.seconds,
            seconds_left=max(left, 0.0),
            recoveries=counters.attempt,
        )


def _seed(seed: int, step: int, attempt: int, rank: int) -> int:
    """Mix numbers into 63 bits that are different for different ones (splitmix64's steps)."""
    mixed = 0
    for number in (seed, step, attempt, rank):
        mixed = (mixed + number + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        mixed ^= mixed >> 31
    return mixed >> 1
