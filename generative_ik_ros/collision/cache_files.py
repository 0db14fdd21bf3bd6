"""Cache files, in the first folder that is writable; failures of the disk are ignored."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def folders() -> Iterator[Path]:
    """Yield where files may be kept: first where the environment says."""
    if chosen := os.environ.get("GENERATIVE_IK_CACHE_DIR"):
        yield Path(chosen, "collision")
    yield Path(__file__).parent / "__pycache__" / "collision"
    with suppress(RuntimeError):  # no home
        home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
        yield Path(home, "generative_ik_ros", "collision")


def read_file(name: str, parse: Callable[[Path], T | None]) -> T | None:
    """Return what the first file of that name holds that can be parsed, or None."""
    for folder in folders():
        try:
            if (found := parse(folder / name)) is not None:
                return found
        except Exception:  # noqa: S112 (missing, cut off, damaged, not readable)
            continue
    return None


def write_file(name: str, data: bytes) -> None:
    """Write a file to the first folder that can be written, if any."""
    for folder in folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(dir=folder, suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                # Others see the whole file or none.
                os.replace(part, folder / name)
                return
            except BaseException:
                os.unlink(part)
                raise
