"""A training task and options in, trained weights out: the whole training in one loop."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from generative_ik_ros.learned.checkpoint import save_checkpoint
from generative_ik_ros.learned.training.distributed import Peers
from generative_ik_ros.learned.training.log import Log, log_path
from generative_ik_ros.learned.training.options import TrainingDivergedError, TrainOptions
from generative_ik_ros.learned.training.state import TrainingState
from generative_ik_ros.learned.training.task import TrainingTask


@dataclass(frozen=True)
class Progress:
    """What a training reports.

    Attributes:
        step: Steps done.
        loss: Running loss.
        samples_per_second: Of all processes together, since the last report.
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
    peers = Peers.join(task.device)
    torch.manual_seed(options.seed)
    state = TrainingState(task.model, options.learning_rate, options.weight_decay)
    config = dict(task.checkpoint({}, {}).config)
    if resume:
        state.load(state_path(output), config, fingerprint)
    generator = torch.Generator(task.device)
    clock = _Clock(state, options, peers)
    log = Log(None, None, None)
    if peers.first:
        log = Log(log_path(output), state.counters.step if resume else None, options.tensorboard)
    good, good_counters = state.snapshot(), replace(state.counters)
    figures: dict[str, float] = {}
    losses = []

    while not clock.over():
        counters = state.counters
        generator.manual_seed(_seed(options.seed, counters.step, counters.attempt, peers.rank))
        for group in state.optimizer.param_groups:
            group["lr"] = options.learning_rate * counters.rate * clock.schedule()
        loss = task.loss(options.batch, generator)
        loss.backward()
        peers.average_gradients(state.weights)
        torch.nn.utils.clip_grad_norm_(state.weights, options.gradient_norm)
        state.optimizer.step()
        state.optimizer.zero_grad(set_to_none=True)
        counters.step += 1
        clock.begin()
        counters.samples += options.batch * peers.count
        state.update_average(options.ema)
        losses.append(loss.detach())

        # Reading a loss waits for the device: not every step.
        if counters.step % options.check_every and not clock.last_step():
            continue
        loss_now = float(peers.same(torch.stack(losses).mean()))
        losses.clear()
        if _diverged(state, loss_now, options):
            if counters.attempt >= options.recoveries:
                log.close()
                raise TrainingDivergedError(
                    f"training diverged {counters.attempt + 1} times (loss {loss_now:.3g} at step "
                    f"{counters.step}); try a lower learning rate than {options.learning_rate:g}"
                )
            state.restore(good)
            state.counters = replace(
                good_counters,
                attempt=counters.attempt + 1,
                rate=counters.rate / 2.0,
                seconds=counters.seconds,
            )
            continue
        clock.tick()
        if clock.due("report", options.report_every):
            progress = clock.progress()
            log.scalars(counters.step, {"loss": progress.loss} | _rates(progress))
            _tell(report, progress, peers)
        if clock.due("evaluate", options.evaluate_every):
            figures = _evaluate(task, state)
            log.evaluation(counters.step, counters.samples, counters.seconds, figures)
            _tell(report, replace(clock.progress(), figures=figures), peers)
        if clock.due("checkpoint", options.checkpoint_every):
            good, good_counters = state.snapshot(), replace(state.counters)
            if peers.first:
                _write(task, state, output, config, fingerprint, options, figures)

    clock.tick()
    figures = _evaluate(task, state)
    counters = state.counters
    log.evaluation(counters.step, counters.samples, counters.seconds, figures)
    log.close()
    _tell(report, replace(clock.progress(), figures=figures), peers)
    summary = {}
    if peers.first:
        summary = _write(task, state, output, config, fingerprint, options, figures)
    peers.leave()
    return summary


class _Clock:
    """Says how far a training is, by steps or by time, the same in every process."""

    def __init__(self, state: TrainingState, options: TrainOptions, peers: Peers):
        self._state, self._options, self._peers = state, options, peers
        self._last: float | None = None
        self._since: dict[str, float] = {"report": 0.0, "evaluate": 0.0, "checkpoint": 0.0}
        self._window = (0.0, 0)
        self._speed = math.nan

    def begin(self) -> None:
        """Start after the first step, which may have compiled for a minute."""
        if self._last is None:
            self._last = time.perf_counter()

    def tick(self) -> None:
        """Add the time since the last tick; the first process's clock counts for all."""
        now = time.perf_counter()
        last = now if self._last is None else self._last
        elapsed = torch.tensor([now - last], dtype=torch.float64)
        if self._peers.count > 1:
            elapsed = self._peers.same(elapsed.to(self._state.weights[0].device, torch.float32))
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

    def over(self) -> bool:
        return self.done() >= 1.0

    def last_step(self) -> bool:
        return self._options.steps is not None and self.over()

    def schedule(self) -> float:
        """Return the factor of the learning rate: a linear rise, then half a cosine."""
        rise = min(1.0, (self._state.counters.step + 1) / max(self._options.warm_up, 1))
        return rise * 0.5 * (1.0 + math.cos(math.pi * min(self.done(), 1.0)))

    def due(self, name: str, every: float) -> bool:
        if every <= 0.0 or self._since[name] < every:
            return False
        self._since[name] = 0.0
        return True

    def progress(self) -> Progress:
        counters = self._state.counters
        seconds, samples = self._window
        if counters.seconds > seconds:
            self._speed = (counters.samples - samples) / (counters.seconds - seconds)
            self._window = (counters.seconds, counters.samples)
        done = self.done()
        left = counters.seconds / done * (1.0 - done) if done > 0.0 else math.inf
        return Progress(
            step=counters.step,
            loss=counters.running,
            samples_per_second=self._speed,
            seconds=counters.seconds,
            seconds_left=max(left, 0.0),
            recoveries=counters.attempt,
        )


def _diverged(state: TrainingState, loss: float, options: TrainOptions) -> bool:
    """Take a loss into the running one and say whether training has gone wrong."""
    counters = state.counters
    finite = math.isfinite(loss) and all(bool(w.isfinite().all()) for w in state.weights)
    if not finite:
        return True
    fresh = not math.isfinite(counters.running)
    counters.running = loss if fresh else 0.9 * counters.running + 0.1 * loss
    counters.best = min(counters.best, counters.running)
    return counters.running > counters.best + options.patience


def _evaluate(task: TrainingTask, state: TrainingState) -> dict[str, float]:
    """Measure the moving average, which is what is kept."""
    state.swap()
    try:
        with torch.no_grad():
            return dict(task.evaluate())
    finally:
        state.swap()


def _write(
    task: TrainingTask,
    state: TrainingState,
    output: Path,
    config: dict[str, object],
    fingerprint: str,
    options: TrainOptions,
    figures: Mapping[str, float],
) -> dict[str, object]:
    """Write weights and state; return the summary."""
    counters = state.counters
    summary: dict[str, object] = {
        "steps": counters.step,
        "samples": counters.samples,
        "minutes": round(counters.seconds / 60.0, 2),
        "loss": counters.running,
        "recoveries": counters.attempt,
        "device": str(task.device),
        "batch": options.batch,
        "learning_rate": options.learning_rate,
        "seed": options.seed,
        "figures": dict(figures),
    }
    save_checkpoint(output, task.checkpoint(state.averaged(), summary), half=options.half)
    state.save(state_path(output), config, fingerprint)
    return summary


def _tell(report: Callable[[Progress], None], progress: Progress, peers: Peers) -> None:
    if peers.first:
        report(progress)


def _rates(progress: Progress) -> dict[str, float]:
    return {"samples_per_second": progress.samples_per_second}


def _seed(seed: int, step: int, attempt: int, rank: int) -> int:
    """Mix numbers into 63 bits that are different for different ones (splitmix64's steps)."""
    mixed = 0
    for number in (seed, step, attempt, rank):
        mixed = (mixed + number + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        mixed ^= mixed >> 31
    return mixed >> 1
