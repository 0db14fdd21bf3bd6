"""What every `generative-ik train` command shares: its devices, its needs and its progress."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generative_ik_ros.training.loop import Progress

DEVICES = ("auto", "cpu", "cuda")
"""What --device takes."""


def require_torch() -> None:
    """Refuse to train where PyTorch is missing.

    Raises:
        MissingDependencyError: torch or safetensors is not installed.
    """
    from generative_ik_ros.errors import MissingDependencyError

    try:
        import safetensors  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            "training needs torch and safetensors, which are not installed: "
            "pip install 'generative_ik_ros[learned]'"
        ) from error


def print_progress(progress: "Progress") -> None:
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
