"""What every `generative-ik train` command shares: options, device, progress, last words."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli.options import MaybeCount, MaybePath, MaybeText
from generative_ik_ros.errors import InvalidArgumentError, MissingDependencyError, UnknownNameError

if TYPE_CHECKING:
    from generative_ik_ros.learned.training.loop import Progress
    from generative_ik_ros.learned.training.options import TrainOptions
    from generative_ik_ros.learned.training.task import TrainingTask

Robot = Annotated[MaybeText, typer.Option(help="A robot that ships with the package.")]
TipLink = Annotated[MaybeText, typer.Option(help="Where it ends.")]
Minutes = Annotated[float, typer.Option(help="Time to train; the schedule fits it.")]
Steps = Annotated[
    MaybeCount, typer.Option(min=1, help="Train so many steps instead, however long it takes.")
]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]
LearningRate = Annotated[float, typer.Option(help="At its highest.")]
Threads = Annotated[int, typer.Option(min=0, help="CPU threads; 0 is PyTorch's choice.")]
Compiled = Annotated[bool, typer.Option("--compile/--no-compile", help="Use torch.compile.")]
Bf16 = Annotated[bool, typer.Option("--bf16", help="Multiply in bfloat16.")]
Tf32 = Annotated[bool, typer.Option("--tf32", help="Multiply in TensorFloat-32.")]
Half = Annotated[bool, typer.Option("--half", help="Write 16 bit weights.")]
EvaluateEvery = Annotated[
    float, typer.Option(min=0.0, help="Seconds between evaluations; 0 is only at the end.")
]
Output = Annotated[
    MaybePath, typer.Option(metavar="FILE", help="Weights; else the user's folder.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on where it stopped.")]
StartFrom = Annotated[
    MaybePath,
    typer.Option(metavar="FILE", help="Begin with these weights; they say what the model is."),
]
TensorBoard = Annotated[MaybePath, typer.Option(metavar="DIR", help="Write a TensorBoard log.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed, the same training.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]

_DEVICES = ("auto", "cpu", "cuda")


def require_torch() -> None:
    """Refuse to train where PyTorch is missing.

    Raises:
        MissingDependencyError: torch or safetensors is not installed.
    """
    try:
        import safetensors  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            "training needs torch and safetensors, which are not installed: "
            "pip install 'generative_ik_ros[learned]'"
        ) from error


def chosen_device(device: str, threads: int = 0, tf32: bool = False) -> str:
    """Set PyTorch up for a training; return "cpu" or "cuda".

    Raises:
        UnknownNameError: There is no such --device.
        MissingDependencyError: torch or safetensors is not installed.
        InvalidArgumentError: There is no CUDA device, which was asked for.
    """
    if device not in _DEVICES:
        raise UnknownNameError("device", device, _DEVICES)
    require_torch()
    import torch

    if threads:
        torch.set_num_threads(threads)
    if device == "cuda" and not torch.cuda.is_available():
        raise InvalidArgumentError("device 'cuda' was asked for, but there is no CUDA device")
    if tf32:
        torch.set_float32_matmul_precision("high")
    return "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"


def check_output(path: Path) -> Path:
    """Return the path of weights to write.

    Raises:
        InvalidArgumentError: It does not end as weights do.
    """
    from generative_ik_ros.learned.checkpoint import SUFFIX

    if path.suffix != SUFFIX:
        raise InvalidArgumentError(f"--output must end in {SUFFIX}, not '{path}'")
    return path


def run(
    task: "TrainingTask",
    options: "TrainOptions",
    path: Path,
    trained_on: str,
    resume: bool,
    as_json: bool,
    **facts: str,
) -> None:
    """Train, with a line on stderr now and then, and say where the weights are.

    Args:
        task: What to train.
        options: How.
        path: File to write.
        trained_on: Name of the arms, which --resume checks.
        resume: Go on with the file that is there.
        as_json: Print the training's summary and `facts`, too.
        **facts: What else there is to know of the weights.
    """
    from generative_ik_ros.cli.console import json_text
    from generative_ik_ros.learned.training.loop import train

    summary = train(
        task, options, path, fingerprint=trained_on, resume=resume, report=_print_progress
    )
    if summary:  # the first of several processes
        report = {"file": path} | facts | summary
        typer.echo(json_text(report) if as_json else f"wrote {path}")


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
