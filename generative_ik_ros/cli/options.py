"""Types of options that may be left out, as every supported typer reads them.

The typer that ROS 2 Jazzy installs (0.9) does not know `X | None`.
"""

# ruff: noqa: UP007, UP045

import math
from pathlib import Path
from typing import Optional

MaybeText = Optional[str]
MaybeTexts = Optional[list[str]]
MaybeNumber = Optional[float]
MaybeCount = Optional[int]
MaybeCounts = Optional[list[int]]
MaybeNumbers = Optional[list[float]]
MaybePath = Optional[Path]

Pose = tuple[float, float, float, float, float, float, float]
_NAN = math.nan
NO_POSE: Pose = (_NAN, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN)
"""Default of an option that is a pose, which cannot be None there."""
