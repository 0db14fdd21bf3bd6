"""The command `generative-ik train`: a table of trainings, and one runner for all of them."""

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from generative_ik_ros.cli.chains import ChainOptions
from generative_ik_ros.cli.groups import with_groups
from generative_ik_ros.cli.options import MaybeNumber, MaybePath, MaybeText, MaybeTexts
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.cli.curves import curve

if TYPE_CHECKING:
    from generative_ik_ros.learned.training.loop import Progress

_HELP = (
    "\n\nSettings are read from --config FILE and changed by --set NAME=VALUE; --show-config "
    "prints all of them as such a file. Ctrl-C keeps the last checkpoint, --resume goes on from "
    "there. Several processes: torchrun --nproc-per-node N -m generative_ik_ros train ..."
)
_TRAININGS = {
    "ikflow": (
        "generative_ik_ros.learned.training.ikflow_config:IKFlowTraining",
        "Train IKFlow, a conditional normalizing flow, for one chain.",
    ),
    "distal": (
        "generative_ik_ros.learned.training.distal_config:DistalTraining",
        "Train distal networks for one chain: each maps a pose to one configuration.",
    ),
    "ggik": (
        "generative_ik_ros.learned.training.ggik_config:GGIKTraining",
        "Train GGIK, one model for many arms: --robots alone for these arms, --random-robots or "
        "--robots with --vary for arms that the model never sees.",
    ),
}
"""Trainings by the name of their sampler: their configuration and what they do."""

Robots = Annotated[
    MaybeText,
    typer.Option(
        metavar="NAMES",
        help="Arms, separated by commas: names that `generative-ik robots` lists, or "
        "FILE.urdf, FILE.urdf:BASE:TIP.",
    ),
]
RandomRobots = Annotated[
    bool,
    typer.Option("--random-robots", help="A new random arm of 6 or 7 joints for each problem."),
]
Vary = Annotated[
    MaybeNumber, typer.Option(help="With --robots: vary their lengths by up to this share.")
]
Configurations = Annotated[
    MaybePath,
    typer.Option(
        metavar="FILE",
        help="Learn these configurations instead of uniform ones: .csv with a column per joint, "
        ".jsonl or .npz, as `path --output` and `solve --output` write them.",
    ),
]
_OF_MANY_ARMS = ("robots", "random_robots", "vary")
_NOT_OF = {
    "ikflow": _OF_MANY_ARMS,
    "distal": (*_OF_MANY_ARMS, "configurations"),
    "ggik": (*ChainOptions._fields, "configurations"),
}
"""Options that a training does not have."""
Minutes = Annotated[
    MaybeNumber,
    typer.Option(help="Time to train, in minutes; the learning rate's schedule is fitted to it."),
]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]
Config = Annotated[MaybePath, typer.Option(metavar="FILE", help="YAML file of settings.")]
Changes = Annotated[
    MaybeTexts,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a setting; may be repeated."),
]
ShowConfig = Annotated[
    bool, typer.Option("--show-config", help="Print all settings as YAML and stop.")
]
Output = Annotated[
    MaybePath,
    typer.Option(metavar="FILE", help="Where to write the weights. Default: the user's folder."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue where the training stopped.")]
StartFrom = Annotated[
    MaybePath,
    typer.Option(metavar="FILE", help="Start from these weights, which also determine the model."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


@with_groups
def _train(
    *,
    training: str,
    arm: ChainOptions,
    robots: Robots = None,
    random_robots: RandomRobots = False,
    vary: Vary = None,
    configurations: Configurations = None,
    minutes: Minutes = None,
    device: Device = "auto",
    config: Config = None,
    changes: Changes = None,
    show_config: ShowConfig = False,
    output: Output = None,
    resume: Resume = False,
    start_from: StartFrom = None,
    as_json: Json = False,
) -> None:
    """Train; every command has those of these options that go with its arms."""
    arms = {"robots": robots, "random_robots": random_robots or None, "vary": vary}
    settings = _settings(training, show_config, config, changes, minutes=minutes, **arms)
    chain = ()
    if training != "ggik":
        chain = (arm.chain(),)
    from generative_ik_ros.cli.console import json_text, spinner
    from generative_ik_ros.learned.checkpoint import SUFFIX
    from generative_ik_ros.learned.training.device import chosen_device

    if output is not None and output.suffix != SUFFIX:
        raise InvalidArgumentError(f"--output must end in {SUFFIX}, not '{output}'")
    with spinner(f"preparing the training of {training}"):
        where = chosen_device(device)
        import torch

        from generative_ik_ros.learned.training.loop import state_path, train

        if settings.threads:
            torch.set_num_threads(settings.threads)
        if settings.tf32:
            torch.set_float32_matmul_precision("high")
        seen = {}
        if configurations is not None:
            from generative_ik_ros.cli.path_files import read_path

            seen["configurations"] = read_path(configurations, *chain)[1]
        ready = settings.prepare(*chain, where, start_from, **seen)
    path = output or ready.output
    state = state_path(path)
    before = _written_at(state)
    if resume and before is None:
        raise InvalidArgumentError(f"--resume: there is no training to go on, no file {state}")
    try:
        summary = train(
            ready.task,
            settings,
            path,
            fingerprint=ready.trained_on,
            resume=resume,
            report=_print_progress,
        )
    except KeyboardInterrupt:
        kept = _what_is_kept(state, before, settings.checkpoint_every, resumed=resume)
        print(kept, file=sys.stderr)
        raise
    if summary:  # the first of several processes
        report = {"file": path, **ready.facts, **summary}
        typer.echo(json_text(report) if as_json else f"wrote {path}")


def _what_is_kept(state: Path, before: int | None, every: float, *, resumed: bool) -> str:
    """Say after Ctrl-C what there is to resume.

    Args:
        state: File of the state.
        before: When it was written before the training [ns]; None: there was none.
        every: Time between checkpoints [s].
        resumed: Whether the training went on from it.
    """
    if resumed or _written_at(state) != before:
        return "stopped; --resume goes on from the last checkpoint"
    return f"stopped; nothing is kept, for the first checkpoint is written after {every:.0f} s"


def _written_at(file: Path) -> int | None:
    """Return when a file was written [ns]; None if there is none."""
    return file.stat().st_mtime_ns if file.is_file() else None


def _command(training: str) -> Callable[..., None]:
    """Return the command of a training."""
    hidden = "training", *_NOT_OF[training]
    signature = inspect.signature(_train)
    shown = [p for p in signature.parameters.values() if p.name not in hidden]
    command = functools.wraps(_train)(functools.partial(_train, training=training))
    # What typer looks at.
    command.__signature__ = signature.replace(parameters=shown)  # pyright: ignore
    return command


app = typer.Typer(help="Train a learned sampler; IKSolver finds the weights by the chain.")
app.command("curve")(curve)
for _name, (_, _purpose) in _TRAININGS.items():
    app.command(_name, help=_purpose + _HELP)(_command(_name))


def _settings(
    name: str, show: bool, file: Path | None, changes: Sequence[str] | None, **given: object
) -> Any:  # noqa: ANN401 (the configuration of that training)
    """Read the configuration of a training; print it and end the command if that is wanted."""
    from generative_ik_ros.learned.settings import read_settings, show_settings

    module, _, attribute = _TRAININGS[name][0].partition(":")
    settings = read_settings(
        getattr(import_module(module), attribute), file, changes or (), **given
    )
    if show:
        typer.echo(f"# Settings of: generative-ik train {name} --config FILE\n")
        typer.echo(show_settings(settings))
        raise typer.Exit()
    return settings


def _print_progress(progress: "Progress") -> None:
    """Write one line on stderr: where a training stands."""
    line = (
        f"step {progress.step}  loss {progress.loss:.3f}  "
        f"{progress.samples_per_second:,.0f} samples/s  {progress.seconds:.0f} s  "
        f"left {progress.seconds_left:.0f} s"
    )
    if progress.recoveries:
        line += f"  recovered {progress.recoveries}x"
    for name, value in progress.figures.items():
        line += f"  {name} {value:.4g}"
    print(line, file=sys.stderr, flush=True)
