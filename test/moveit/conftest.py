"""Helpers of other folders, found by their bare names."""

import sys
from pathlib import Path

folder = str(Path(__file__).parents[1] / "robot")
if folder not in sys.path:
    sys.path.append(folder)
