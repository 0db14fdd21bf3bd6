"""Chains and models in, everything that GGIK's tables and figures show out."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.reproduce.ggik import (
    Accuracy,
    Modes,
    accuracy,
    modes,
    takes_part,
)
from generative_ik_benchmarks.reproduce.ggik_jobs import KINDS, Job, Trainer, jobs
from generative_ik_benchmarks.reproduce.ggik_raw import (
    Discrepancy,
    LatentErrors,
    Stepped,
    discrepancy,
    latent_errors,
    stepped,
)
from generative_ik_benchmarks.reproduce.ggik_starts import StartsRow, starts_table
from generative_ik_benchmarks.reproduce.ggik_times import SamplingTime, sampling_times
from generative_ik_ros.learned.ggik.model import GGIK as LatentModel
from generative_ik_ros.learned.ggik.weights import TrainedModel, load_model


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Attributes:
        problems: Poses a robot for errors; the papers have 2000.
        starts: Poses a robot for table IV.
        starts_each: Starts of each.
        riemannian: Starts of each for the Riemannian solver, which is slow.
        discrepancies: Poses a robot for CoRL table 1's discrepancy.
        modes: Samples of one problem, and problems, for figures 5 to 7.
        times: Numbers of samples for figure 8.
    """

    problems: int = 200
    starts: int = 5
    starts_each: int = 32
    riemannian: int = 4
    discrepancies: int = 50
    modes: tuple[int, int] = (1000, 200)
    times: tuple[int, ...] = (1, 10, 100, 1000)

    @classmethod
    def quick(cls) -> "Sizes":
        """Return sizes for a first look."""
        return cls(10, 1, 4, 1, 2, (100, 5), (1, 10))

    def but(self, **given: int | None) -> "Sizes":
        """Return the same with what is given and not None."""
        return replace(self, **{name: value for name, value in given.items() if value is not None})


@dataclass
class Report:
    """All figures.

    Attributes:
        samples: Configurations with which each model was trained that was for the report.
        accuracy: Rows of tables I to III and V and CoRL's 1 and 3 to 5; figure 4.
        discrepancies: Of CoRL's table 1.
        stepped: Errors after steps onto the known distances.
        latents: Of models with latents.
        starts: Rows of table IV.
        absent: Why a solver is not in it.
        modes: Of figures 5 to 7.
        times: Of figure 8.
    """

    samples: int = 0
    accuracy: list[Accuracy] = field(default_factory=list)
    discrepancies: list[Discrepancy] = field(default_factory=list)
    stepped: list[Stepped] = field(default_factory=list)
    latents: list[LatentErrors] = field(default_factory=list)
    starts: list[StartsRow] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)
    modes: list[Modes] = field(default_factory=list)
    times: list[SamplingTime] = field(default_factory=list)


def measure(
    cases: Sequence[ChainCase],
    models: Mapping[Path, TrainedModel],
    sizes: Sizes,
    *,
    samples: int = 0,
    trainer: Trainer | None = None,
    kinds: Sequence[str] = KINDS,
    device: str = "cpu",
    seed: int = 1,
    on_step: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Report:
    """Measure everything.

    Args:
        cases: The robots, six or seven turning joints each.
        models: By file; one that knows a robot is measured on it, one for any arm on all.
        sizes: How much.
        samples: Configurations to train each of the models with that tables I and V and CoRL's
            4 need, to be told.
        trainer: Trains these models; None to leave them out.
        kinds: Which of them, see `jobs`.
        device: Where models run.
        seed: Of poses and samples.
        on_step: Called with what is being done, and how many of how many steps are.
    """
    pairs = [(c, path) for path, model in models.items() for c in cases if takes_part(model, c)]
    chosen = {case.label: path for case, path in reversed(pairs)}
    known = [case for case in cases if case.label in chosen]
    wanted = jobs(cases, kinds) if trainer is not None else []
    total, done = len(pairs) + 2 * len(known) + len(wanted) + 1, 0
    report = Report(samples)

    def step(what: str) -> None:
        nonlocal done
        on_step(what, done, total)
        done += 1

    run = {"device": device, "seed": seed}
    for case, path in pairs:
        step("errors")
        report.accuracy.append(accuracy(case, path, problems=sizes.problems, **run))
        _add_latents(report, case, path)
    for case in known:
        step("discrepancies and steps")
        path = chosen[case.label]
        report.discrepancies.append(discrepancy(case, path, poses=sizes.discrepancies, **run))
        report.stepped.append(stepped(case, path, problems=sizes.problems, **run))
        step("modes and times")
        many, several = sizes.modes
        report.modes.append(modes(case, path, samples=many, problems=several, **run))
        report.times += sampling_times(case, path, sizes=sizes.times, **run)
    with tempfile.TemporaryDirectory() as folder:
        for job in wanted:
            step(f"training {job.name}")
            path = Path(folder) / f"{job.name}.safetensors"
            trainer(job, path)  # pyright: ignore[reportOptionalCall] (else there are no jobs)
            _add_job(report, job, path, sizes, device, seed)
    step("local solvers")
    report.starts, report.absent = starts_table(
        known,
        chosen,
        problems=sizes.starts,
        starts=sizes.starts_each,
        riemannian_starts=sizes.riemannian,
        **run,
    )
    return report


def _add_job(report: Report, job: Job, path: Path, sizes: Sizes, device: str, seed: int) -> None:
    for case in job.cases:
        row = accuracy(
            case, path, problems=sizes.problems, device=device, seed=seed, purpose=job.purpose
        )
        report.accuracy.append(row)
        if job.network == "egnn":
            _add_latents(report, case, path)


def _add_latents(report: Report, case: ChainCase, path: Path) -> None:
    model = load_model(path).model
    if isinstance(model, LatentModel) and model.config.network == "egnn":
        report.latents.append(latent_errors(case, model, path.stem))
