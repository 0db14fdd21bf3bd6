"""Helpers stand beside the tests that use them and are imported by their bare names."""

import signal
import sys
from pathlib import Path

# Commands in the background of a shell script ignore Ctrl-C, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

sys.path.extend(str(folder) for folder in Path(__file__).parent.iterdir() if folder.is_dir())
