"""All tables and figures of GGIK's papers, for the models at hand."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.options import RunOptions, option, size
from generative_ik_benchmarks.reproduce.ggik_models import (
    KINDS,
    Job,
    jobs,
    takes_part,
    train_short,
)
from generative_ik_benchmarks.reproduce.ggik_samples import (
    Accuracy,
    Discrepancy,
    Modes,
    SamplingTime,
    Stepped,
    Subject,
    accuracy,
    discrepancy,
    modes,
    sampling_times,
    stepped,
)
from generative_ik_benchmarks.reproduce.ggik_starts import StartsRow, starts_table
from generative_ik_ros.errors import check_names
from generative_ik_ros.learned.ggik.weights import TrainedModel


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set, and how much is measured."""

    weights: tuple[Path, ...] = option(
        (),
        "One more model, may be given again: of one robot for table I, of another network for "
        "table V.",
        metavar="FILE",
    )
    train_samples: int = option(
        0,
        "Train the models of tables I and V and CoRL's 4, with this many configurations each "
        "(papers: 256,000 and more): 12 for five robots. 0 leaves them out.",
        min=0,
    )
    train_only: tuple[str, ...] = option(
        KINDS,
        "With --train-samples: train these only, may be given again: only (a model a robot), "
        "network (table V), varied (CoRL's 4).",
        check=partial(check_names, "kind of model", choices=KINDS),
        metavar="KIND",
    )
    problems: int = option(200, "Poses a robot for errors; the papers have 2000.", quick=10, min=1)
    start_problems: int = option(5, "Poses a robot for table IV.", quick=1, min=1)
    mmd_problems: int = option(50, "Poses a robot for the discrepancy.", quick=2, min=1)
    device: str = option("cpu", "Where the models run: cpu or cuda.")
    plot: Path | None = option(None, "Draw figures 4 to 8.", metavar="FILE")
    starts: int = size(32, 4)
    """Starts of each pose of table IV."""
    riemannian_starts: int = size(4, 1)
    """The same for the Riemannian solver, which is slow."""
    modes: tuple[int, int] = size((1000, 200), (100, 5))
    """Samples of one problem, and problems, for figures 5 to 7."""
    times: tuple[int, ...] = size((1, 10, 100, 1000), (1, 10))
    """Numbers of samples of figure 8."""


@dataclass
class Report:
    """All figures."""

    samples: int = figure(
        "Configurations with which each model was trained that was for the report.", default=0
    )
    accuracy: list[Accuracy] = figure(
        "Rows of tables I to III and V and CoRL's 1 and 3 to 5; figure 4.", default_factory=list
    )
    discrepancies: list[Discrepancy] = figure("Of CoRL's table 1.", default_factory=list)
    stepped: list[Stepped] = figure("Errors after Gauss-Newton steps.", default_factory=list)
    starts: list[StartsRow] = figure("Rows of table IV.", default_factory=list)
    absent: dict[str, str] = figure("Why a solver is not in it.", default_factory=dict)
    modes: list[Modes] = figure("Of figures 5 to 7.", default_factory=list)
    times: list[SamplingTime] = figure("Of figure 8.", default_factory=list)


def reproduce_ggik(
    cases: Sequence[ChainCase],
    models: Mapping[Path, TrainedModel],
    options: Options,
    on_step: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Report:
    """Measure everything on robots of six or seven revolute joints each.

    A model that knows a robot is measured on it, one for any arm on all. `on_step` is called with
    what is being done, and how many of how many steps are.
    """
    report = Report(options.train_samples)
    with tempfile.TemporaryDirectory() as folder:
        steps = _steps(report, options, cases, models, Path(folder))
        for done, (what, step) in enumerate(steps):
            on_step(what, done, len(steps))
            step()
    return report


def _steps(
    report: Report,
    options: Options,
    cases: Sequence[ChainCase],
    models: Mapping[Path, TrainedModel],
    folder: Path,
) -> list[tuple[str, Callable[[], None]]]:
    """Return what fills a report, each step with its name; trained models go into a folder."""

    def subject(case: ChainCase, path: Path) -> Subject:
        return Subject(case, path, options.device, options.random_seed)

    def errors(model: Subject, purpose: str | None = None) -> None:
        report.accuracy.append(accuracy(model, options.problems, purpose))

    def raw(model: Subject) -> None:
        report.discrepancies.append(discrepancy(model, options.mmd_problems))
        report.stepped.append(stepped(model, options.problems))

    def spread(model: Subject) -> None:
        report.modes.append(modes(model, *options.modes))
        report.times += sampling_times(model, options.times)

    def training(job: Job) -> None:
        path = folder / f"{job.name}.safetensors"
        train_short(job, options.train_samples, path, options.device)
        for case in job.cases:
            errors(subject(case, path), job.purpose)

    def starts() -> None:
        report.starts, report.absent = starts_table(
            known, options.start_problems, options.starts, options.riemannian_starts
        )

    subjects = [
        subject(case, path)
        for path, model in models.items()
        for case in cases
        if takes_part(model, case)
    ]
    chosen = {one.case.label: one for one in reversed(subjects)}
    known = [chosen[case.label] for case in cases if case.label in chosen]
    wanted = jobs(cases, options.train_only) if options.train_samples else []
    steps: list[tuple[str, Callable[[], None]]] = [
        ("errors", partial(errors, one)) for one in subjects
    ]
    for one in known:
        steps.append(("discrepancy and steps", partial(raw, one)))
        steps.append(("modes and times", partial(spread, one)))
    steps += [(f"training {job.name}", partial(training, job)) for job in wanted]
    return [*steps, ("local solvers", starts)]
