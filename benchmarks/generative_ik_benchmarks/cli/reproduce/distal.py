"""`generative-ik reproduce distal`: options come in, the paper's tables and figures go out."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_benchmarks.cli.common import Json, Quick, Seed, finish, prepare
from generative_ik_ros.cli.options import MaybeCount, MaybePath, MaybeTexts

if TYPE_CHECKING:
    from collections.abc import Callable

    from generative_ik_benchmarks.reproduce.distal_lessons import Lesson, Teach
    from generative_ik_benchmarks.reproduce.distal_runs import DistalRun
    from generative_ik_ros.learned.training.loop import Progress

_QUICK_EFFORT = 0.02


def distal_command(
    experiment: Annotated[
        MaybeTexts, typer.Option(help="a, b, c, d, e or f, again for more; all if left out.")
    ] = None,
    mechanism: Annotated[
        MaybeTexts, typer.Option(help="3-DoF, 6-DoF or 15-DoF, again for more.")
    ] = None,
    poses: Annotated[
        MaybeCount, typer.Option(min=1, help="Test poses of a, b and d; 5000 or 200.")
    ] = None,
    set_poses: Annotated[
        MaybeCount, typer.Option(min=1, help="Poses of each test set of c; 500 or 40.")
    ] = None,
    unreachable: Annotated[
        MaybeCount, typer.Option(min=1, help="Poses to reject a mechanism; 33,334 or 256.")
    ] = None,
    paths: Annotated[
        MaybeCount, typer.Option(min=1, help="Paths of each kind in e; 1000 or 5.")
    ] = None,
    path_kind: Annotated[
        MaybeTexts,
        typer.Option(help="Only joint (made by one) or space (drawn there) paths in e."),
    ] = None,
    effort: Annotated[
        float, typer.Option(min=1e-3, help="Factor of the training steps; --quick has 0.02.")
    ] = 1.0,
    nets: Annotated[
        MaybePath,
        typer.Option(metavar="DIR", help="Where trained nets are kept; else the user's cache."),
    ] = None,
    device: Annotated[str, typer.Option(help="Where to train: auto, cpu or cuda.")] = "auto",
    plots: Annotated[
        MaybePath, typer.Option(metavar="DIR", help="Draw figures 2 and 3 into this folder.")
    ] = None,
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Distal teaching (von Oehsen et al., 2020): experiments a to f on three mechanisms.

    Nets are trained when they are first needed and kept. Beside the paper: our solver in every
    table, paths that it has to follow without a jump, poses that it has to reject.
    """
    from generative_ik_ros.learned.cli.train_options import require_torch

    require_torch()
    prepare(json_file, [])
    from dataclasses import replace

    from generative_ik_benchmarks.cli.reproduce.distal_plot import check_folder, draw_all
    from generative_ik_benchmarks.cli.reproduce.distal_tables import show
    from generative_ik_benchmarks.reference.cache import reference_folder
    from generative_ik_benchmarks.reproduce.distal import (
        EXPERIMENTS,
        QUICK,
        Amounts,
        check_names,
        lessons_of,
        reproduce_distal,
    )
    from generative_ik_benchmarks.reproduce.distal_mechanisms import chosen_mechanisms

    experiments = sorted(set(experiment or EXPERIMENTS))
    check_names(experiments, path_kind or [])
    mechanisms = chosen_mechanisms(mechanism)
    if plots is not None:
        check_folder(plots)
    amounts = QUICK if quick else Amounts()
    wanted = {"poses": poses, "set_poses": set_poses, "unreachable": unreachable, "paths": paths}
    amounts = replace(amounts, **{k: v for k, v in wanted.items() if v is not None})
    amounts = replace(amounts, path_kinds=tuple(path_kind or amounts.path_kinds))
    folder = nets or reference_folder().parent / "distal"
    teach = _teacher(folder, effort * (_QUICK_EFFORT if quick else 1.0), device, random_seed)
    lessons = lessons_of(experiments, mechanisms)
    for number, lesson in enumerate(lessons, 1):
        _say(f"net {number} of {len(lessons)}: {lesson.label}")
        teach(lesson)
    report = reproduce_distal(mechanisms, experiments, teach, amounts, random_seed, _say)
    if plots is not None:
        files = draw_all(report, mechanisms, teach, amounts, random_seed, plots)
        _say(f"wrote {', '.join(str(file) for file in files)}")
    if json_file != "-":
        show(report)
    facts = {"paper": "distal teaching", "amounts": amounts, "effort": effort, "report": report}
    finish(json_file, facts, report.false_results)


def _teacher(folder: Path, effort: float, device: str, seed: int) -> "Teach":
    """Return what trains a net or reads it from its file."""
    import torch

    from generative_ik_benchmarks.reproduce.distal_runs import trained_net
    from generative_ik_ros.learned.cli.train_options import chosen_device
    from generative_ik_ros.learned.distal.predictor import DistalPredictor

    where = torch.device(chosen_device(device))

    def teach(lesson: "Lesson") -> DistalPredictor:
        path = trained_net(
            lesson.chain,
            lesson.poses(seed),
            _run(lesson, effort),
            folder,
            device=where,
            report=_progress_of(lesson),
        )
        return DistalPredictor(path, lesson.chain)

    return teach


def _run(lesson: "Lesson", effort: float) -> "DistalRun":
    from generative_ik_benchmarks.reproduce.distal_runs import DistalRun

    mechanism = lesson.mechanism
    steps = max(10, round(effort * mechanism.steps))
    return DistalRun(mechanism.hidden, mechanism.layers, steps, penalty=lesson.penalty)


def _progress_of(lesson: "Lesson") -> "Callable[[Progress], None]":
    def report(progress: "Progress") -> None:
        _say(
            f"{lesson.label}: step {progress.step}, loss {progress.loss:.3f}, "
            f"{progress.seconds_left:.0f} s left"
        )

    return report


def _say(text: str) -> None:
    """Write a line on stderr: where a long work stands."""
    print(text, file=sys.stderr, flush=True)
