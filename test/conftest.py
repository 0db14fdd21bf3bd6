"""Helpers stand beside the tests that use them, and are imported by their bare names."""

import sys
from pathlib import Path

sys.path.extend(str(folder) for folder in Path(__file__).parent.iterdir() if folder.is_dir())
