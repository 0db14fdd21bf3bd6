"""Expansion of xacro files by ROS's own package `xacro`.

What `$(find NAME)` means there is a package of a sourced workspace, or one around the file.
"""

import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from generative_ik_ros.errors import RobotDescriptionError, importing, short

_LOCK = threading.Lock()
"""xacro keeps what it is at in variables of its module, and what it asks is replaced."""
_INDEX = "ament_index_python", "ament_index_python.packages"
_LEVELS = 5
"""Folders above the file that are looked into, and two below each."""
_NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")


def expanded(path: Path, arguments: Mapping[str, str]) -> str:
    """Return the text that a xacro file expands to.

    xacro evaluates expressions of the file, and opens others that it includes: it is for files
    that are trusted as programs are, never for text from a topic.

    Args:
        path: The file.
        arguments: Values of its `<xacro:arg>` elements.

    Raises:
        RobotDescriptionError: The file cannot be expanded.
        MissingDependencyError: xacro is not installed.
    """
    with importing("a xacro file needs xacro", "'generative_ik_ros[formats]'"):
        import xacro
    try:
        mappings = {name: str(value) for name, value in arguments.items()}
        with _LOCK, _packages_around(path):
            # Without the comments before it, which hold the path: two hyphens are no comment.
            document: Any = xacro.process_file(str(path), mappings=mappings)
    except Exception as error:  # those of its expressions are of any kind
        why = f"{type(error).__name__}: {short(' '.join(str(error).split()), 300)}"
        if "substitution argument" in why:
            why += "; give it by xacro_args=, in the shell by --urdf 'FILE NAME:=VALUE'"
        raise RobotDescriptionError(f"cannot expand {path}: {why}") from None
    root = document.documentElement
    if not root.getElementsByTagName("*"):
        raise RobotDescriptionError(
            f"{path} expands to nothing: it defines macros for other files, which include it"
        )
    return root.toxml()


@contextmanager
def _packages_around(file: Path) -> Iterator[None]:
    """Have xacro find packages that lie around a file, where no sourced workspace has them.

    xacro asks ROS's index, `ament_index_python`, which only ROS brings: it is made where it is
    missing. What others ask it meanwhile, it answers as it would have.
    """
    try:
        # Where it is, xacro itself imports it.
        packages = import_module(_INDEX[1])
        sourced = packages.__dict__["get_package_share_directory"]
    except ImportError:
        made = [ModuleType(name) for name in _INDEX]
        made[1].__dict__["get_package_share_directory"] = _finder(file, None)
        before = {name: sys.modules[name] for name in _INDEX if name in sys.modules}
        sys.modules.update(zip(_INDEX, made, strict=True))
        try:
            yield
        finally:
            for name in _INDEX:
                del sys.modules[name]
            sys.modules.update(before)
        return
    packages.__dict__["get_package_share_directory"] = _finder(file, sourced)
    try:
        yield
    finally:
        packages.__dict__["get_package_share_directory"] = sourced


def _finder(file: Path, sourced: Callable[..., str] | None) -> Callable[..., str]:
    """Return what finds a package's folder, as `get_package_share_directory` does."""

    def find(name: str, *more: object, **options: object) -> str:
        try:
            if sourced is not None:
                return sourced(name, *more, **options)
        except (LookupError, OSError):
            pass  # not there, or no workspace is sourced
        for folder in _folders(file, name):
            return str(folder)
        raise LookupError(
            f"neither a sourced ROS 2 workspace nor the folders around have the package '{name}'"
        )

    return find


def _folders(file: Path, name: str) -> Iterator[Path]:
    """Yield the folders around a file that are a package, by their manifest or else their name."""
    for above in file.resolve().parents[:_LEVELS]:
        if above != above.parent:
            inside = sorted((*above.glob("*/package.xml"), *above.glob("*/*/package.xml")))
            folders = [above, *(manifest.parent for manifest in inside)]
            yield from (folder for folder in folders if _named(folder) == name)
            yield from (folder for folder in (above, above / name) if folder.is_dir()
                        and folder.name == name)  # fmt: skip


def _named(folder: Path) -> str | None:
    """Return the name in a package's manifest."""
    try:
        found = _NAME.search((folder / "package.xml").read_text(encoding="utf-8"))
    except (OSError, UnicodeError):
        return None
    return found[1] if found else None
