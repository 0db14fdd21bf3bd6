"""Types of options, as every supported typer reads them, and options of several numbers.

What is typed wrongly is an InvalidArgumentError. The typer that ROS 2 Jazzy installs (0.9) does
not know `X | None`.
"""

# ruff: noqa: UP007, UP045

import math
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from generative_ik_ros.errors import InvalidArgumentError


class ExitCode(IntEnum):
    """What a command ends with."""

    DONE = 0
    NO_SOLUTION = 1
    """Or a false result."""
    MISUSE = 2
    INTERRUPTED = 130

    @classmethod
    def of(cls, solved: bool) -> "ExitCode":
        """Return that of a command that finds something or not."""
        return cls.DONE if solved else cls.NO_SOLUTION


MaybeText = Optional[str]
MaybeTexts = Optional[list[str]]
MaybeNumber = Optional[float]
MaybeCount = Optional[int]
MaybePath = Optional[Path]

Sampler = Annotated[str, typer.Option(help="What proposes the seeds of the search.")]
RandomSeed = Annotated[MaybeCount, typer.Option(help="The same seed gives the same result.")]
JointWeights = Annotated[
    MaybeText,
    typer.Option(metavar="W1 W2 ...", help="Weights of the joints in distances and lengths."),
]
Plot = Annotated[
    MaybePath,
    typer.Option(metavar="FILE", help="Draw a picture (.png, .pdf, .svg, ...)."),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print only JSON; for many poses, a line for each solution.")
]
TableFile = Annotated[
    MaybePath,
    typer.Option(
        "--output",
        metavar="FILE",
        help="Where the rows go: .csv, .jsonl or .npz. Default: standard output.",
    ),
]

SEVERAL_NUMBERS = (
    "--pose", "--seed-state", "--consistency-limits", "--max-step", "--end-state",
    "--joint-weights", "--velocity-limits", "--acceleration-limits", "--region-lower",
    "--region-upper", "--region", "--cone", "--bounds", "--mount",
)  # fmt: skip
"""Options that take several numbers, with spaces or commas between them."""


def join_numbers(words: Sequence[str]) -> list[str]:
    """Join what follows an option that takes several numbers into one word.

    An option of click takes a fixed number of words: `--seed-state 0.1 -0.2` becomes
    `--seed-state=0.1,-0.2`. A word that begins with a minus sign belongs to it if it is a number.
    """
    joined, index = [], 0
    while index < len(words):
        first = index + 1
        end = first
        if words[index] in SEVERAL_NUMBERS:
            while end < len(words) and (words[end][:1] != "-" or _numbers(words[end])):
                end += 1
        values = ",".join(words[first:end])
        joined.append(f"{words[index]}={values}" if end > first else words[index])
        index = end
    return joined


def parse_numbers(option: str, text: str) -> list[float]:
    """Read the numbers of one of `SEVERAL_NUMBERS`, at least one."""
    numbers = _numbers(text)
    if not numbers:
        raise InvalidArgumentError(
            f"{option} takes numbers with spaces or commas between them, got '{text}'"
        )
    return numbers


def parse_for_joints(
    option: str, text: str | None, *, each: bool = False
) -> list[float] | float | None:
    """Read the numbers of an option; a single one, unless it is for `each` joint, is for all."""
    if text is None:
        return None
    numbers = parse_numbers(option, text)
    return numbers[0] if len(numbers) == 1 and not each else numbers


def parse_array(option: str, text: str, shape: tuple[int, ...]) -> list[Any]:
    """Read the numbers of an option as an array of a shape, in nested lists."""
    import numpy as np

    numbers = parse_numbers(option, text)
    if len(numbers) != math.prod(shape):
        raise InvalidArgumentError(
            f"{option} takes {math.prod(shape)} numbers, got {len(numbers)}"
        )
    return np.reshape(numbers, shape).tolist()


def split_words(texts: Sequence[str]) -> list[str]:
    """Return what stands between the commas of some texts."""
    return [word.strip() for text in texts for word in text.split(",") if word.strip()]


def parse_positions(option: str, words: Sequence[str] | None) -> dict[str, float]:
    """Read `NAME=Q`, with commas between several; {} for None."""
    positions = {}
    for word in split_words(words or ()):
        name, _, number = word.rpartition("=")
        try:
            positions[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise InvalidArgumentError(f"{option} takes NAME=NUMBER, got '{word}'")
    return positions


def parse_joint_limits(words: Sequence[str] | None) -> dict[str, tuple[float, float]] | None:
    """Read `NAME=LOWER:UPPER`, with commas between several, or files of MoveIt; None for None."""
    if words is None:
        return None
    from generative_ik_ros.moveit.joint_limits import read_joint_limits

    limits: dict[str, tuple[float, float]] = {}
    for text in words:
        if text.endswith((".yaml", ".yml")):
            limits |= read_joint_limits(text)
            continue
        for word in split_words([text]):
            name, _, ends = word.rpartition("=")
            try:
                lower, upper = map(float, ends.split(":"))
                limits[name] = lower, upper
            except ValueError:
                name = ""
            if not name:
                raise InvalidArgumentError(f"--joint-limits takes NAME=LOWER:UPPER, got '{word}'")
    return limits


def _numbers(text: str) -> list[float]:
    try:
        return [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        return []
