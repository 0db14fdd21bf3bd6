"""Collision meshes of a robot: found in folders that were named and in the robot's own package."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from generative_ik_ros.errors import InvalidArgumentError, RobotDescriptionError, short


class MeshFolders:
    """The folders in which meshes are looked up.

    `package://NAME/REST` is NAME/REST in a folder of packages or REST in the folder of a package;
    a relative address is looked up in the folder of the description first. A description's own
    package, the nearest folder above it with a `package.xml`, counts as named. Then come the
    shares of AMENT_PREFIX_PATH. Nothing outside of these folders is opened, whatever an address
    says and wherever links lead; only what is installed with links, as colcon can, may lie
    elsewhere.

    Args:
        package_dirs: Folders of packages, or of a package.
        description: File of the robot description, if it is one.

    Raises:
        InvalidArgumentError: One of `package_dirs` is no folder.
    """

    def __init__(
        self, package_dirs: Iterable[str | os.PathLike[str]], description: Path | None = None
    ):
        """Find the folders."""
        if isinstance(package_dirs, (str, os.PathLike)):
            package_dirs = (package_dirs,)
        try:
            given = tuple(Path(folder).resolve() for folder in package_dirs)
        except (TypeError, ValueError, OSError):
            raise InvalidArgumentError("package_dirs must be a list of folders") from None
        for folder in given:
            if not folder.is_dir():
                raise InvalidArgumentError(f"package_dirs: there is no folder '{folder}'")
        self.own = () if description is None else _own_folders(description.resolve().parent)
        self.folders = tuple(dict.fromkeys(given + self.own))
        prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
        self.installed = tuple(Path(prefix, "share") for prefix in filter(None, prefixes))

    def find(self, uri: str) -> Path | None:
        """Return the file of a mesh address, or None."""
        # A null character, a name too long, a loop of links, no address at all.
        with suppress(ValueError, OSError, RuntimeError):
            for place, root in self._places(uri):
                file = place.resolve()
                if file.is_file() and (root is None or file.is_relative_to(root)):
                    return file
        return None

    def _places(self, uri: str) -> Iterator[tuple[Path, Path | None]]:
        """Yield where a file could be, and the folder that it must be in, if any."""
        parts = urlsplit(uri)
        if parts.scheme in ("package", "model"):
            name, rest = unquote(parts.netloc), unquote(parts.path).lstrip("/")
            for folder in self.folders:
                yield folder / name / rest, folder
                yield folder / rest, folder
            if ".." not in PurePosixPath(name, rest).parts:
                yield from ((share / name / rest, None) for share in self.installed)
        elif parts.scheme == "file":
            if parts.netloc in ("", "localhost"):
                yield from ((Path(unquote(parts.path)), folder) for folder in self.folders)
        elif not parts.scheme:
            # An absolute path stays what it is beside a folder, and counts only if inside.
            for beside in self.own[:1]:
                yield from ((beside / uri, folder) for folder in self.own)
            yield from ((folder / uri, folder) for folder in self.folders)


def _own_folders(folder: Path) -> tuple[Path, ...]:
    """Return a description's folder, and that of the package in which it lies, if there is one."""
    for above in (folder, *folder.parents):
        if (above / "package.xml").is_file():
            return folder, above
    return (folder,)


def find_all(uris: Sequence[str], folders: MeshFolders) -> dict[str, Path]:
    """Return the file of each address.

    Raises:
        RobotDescriptionError: Some are not there; the message names them and the folders.
    """
    found = {uri: folders.find(uri) for uri in dict.fromkeys(uris)}
    if missing := [uri for uri, file in found.items() if file is None]:
        searched = (*folders.folders, *folders.installed)
        raise RobotDescriptionError(
            f"{len(missing)} of {len(found)} collision meshes were not found: {_quoted(missing)}; "
            + (f"searched: {_quoted(map(str, searched))}" if searched else "no folder was named")
            + "; name the folders of the robot's packages with package_dirs="
        )
    return {uri: file for uri, file in found.items() if file is not None}


def _quoted(texts: Iterable[str], most: int = 40) -> str:
    texts = [repr(short(text, 200)) for text in texts]
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more
