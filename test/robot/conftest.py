"""Makes this folder's helper modules importable by name, here and from other test folders."""

import sys
from pathlib import Path

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.append(HERE)
