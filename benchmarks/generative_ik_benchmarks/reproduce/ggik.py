"""All tables and figures of GGIK's papers, for the models at hand."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.options import RunOptions, option
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
    Stepped,
    accuracy,
    discrepancy,
    modes,
    stepped,
)
from generative_ik_benchmarks.reproduce.ggik_starts import StartsRow, starts_table
from generative_ik_benchmarks.reproduce.ggik_times import SamplingTime, sampling_times
from generative_ik_ros.errors import check_names
from generative_ik_ros.learned.ggik.weights import TrainedModel


def _size(default: object, quick: object) -> Any:  # noqa: ANN401 (a dataclass field)
    """Return a size that has no option, and its value with `--quick`."""
    return field(default=default, metadata={"quick": quick})


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
    starts: int = _size(32, 4)
    """Starts of each pose of table IV."""
    riemannian_starts: int = _size(4, 1)
    """The same for the Riemannian solver, which is slow."""
    modes: tuple[int, int] = _size((1000, 200), (100, 5))
    """Samples of one problem, and problems, for figures 5 to 7."""
    times: tuple[int, ...] = _size((1, 10, 100, 1000), (1, 10))
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
    """Measure everything.

    Args:
        cases: The robots, six or seven revolute joints each.
        models: By file; one that knows a robot is measured on it, one for any arm on all.
        options: How much.
        on_step: Called with what is being done, and how many of how many steps are.
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
    run = {"device": options.device, "seed": options.random_seed}

    def errors(case: ChainCase, path: Path, purpose: str | None = None) -> None:
        row = accuracy(case, path, problems=options.problems, purpose=purpose, **run)
        report.accuracy.append(row)

    def raw(case: ChainCase, path: Path) -> None:
        report.discrepancies.append(discrepancy(case, path, poses=options.mmd_problems, **run))
        report.stepped.append(stepped(case, path, problems=options.problems, **run))

    def spread(case: ChainCase, path: Path) -> None:
        samples, problems = options.modes
        report.modes.append(modes(case, path, samples=samples, problems=problems, **run))
        report.times += sampling_times(case, path, sizes=options.times, **run)

    def training(job: Job) -> None:
        path = folder / f"{job.name}.safetensors"
        train_short(job, options.train_samples, path, options.device)
        for case in job.cases:
            errors(case, path, job.purpose)

    def starts() -> None:
        report.starts, report.absent = starts_table(
            known, chosen, problems=options.start_problems, starts=options.starts,
            riemannian_starts=options.riemannian_starts, **run,
        )  # fmt: skip

    pairs = [(c, path) for path, model in models.items() for c in cases if takes_part(model, c)]
    chosen = {case.label: path for case, path in reversed(pairs)}
    known = [case for case in cases if case.label in chosen]
    wanted = jobs(cases, options.train_only) if options.train_samples else []
    steps: list[tuple[str, Callable[[], None]]] = [
        ("errors", partial(errors, case, path)) for case, path in pairs
    ]
    for case in known:
        path = chosen[case.label]
        steps.append(("discrepancy and steps", partial(raw, case, path)))
        steps.append(("modes and times", partial(spread, case, path)))
    steps += [(f"training {job.name}", partial(training, job)) for job in wanted]
    return [*steps, ("local solvers", starts)]
