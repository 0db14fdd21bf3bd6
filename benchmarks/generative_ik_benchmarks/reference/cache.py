"""Results on disk, found again by everything that they depend on."""

import hashlib
import json
import logging
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain

Arrays = dict[str, NDArray]

_FORMAT = 2
"""To be raised when the same settings come to mean another result."""
_DIGEST = "digest"
_log = logging.getLogger(__name__)


def reference_folder() -> Path:
    """Return where reference sets are kept: below XDG_CACHE_HOME, else ~/.cache."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    # The standard says that a relative path is to be ignored.
    base = Path(home) if os.path.isabs(home) else Path.home() / ".cache"
    return base / "generative_ik_ros" / "reference"


def cached(
    kind: str,
    chain: KinematicChain,
    targets: Floats,
    settings: Mapping[str, object],
    compute: Callable[[], Arrays],
    valid: Callable[[Arrays], bool],
    folder: Path | None = None,
) -> Arrays:
    """Return a result from its file, or compute it and write the file.

    A file is written under another name first and then put in place, so that no one ever reads
    half of one. A file that cannot be read, was changed, or is not valid is computed again.

    Args:
        kind: What it is; part of the file's name.
        chain: The chain: fingerprint, limits, mounting and tool.
        targets: (..., 4, 4) the targets [m].
        settings: What else it depends on; values that JSON can hold.
        compute: Computes the arrays; none of them is an array of objects.
        valid: Returns whether arrays that were read can be right.
        folder: Where the files are; None: `reference_folder()`.
    """
    name = _name(chain, targets, {"kind": kind, **settings})
    path = (folder or reference_folder()) / chain.fingerprint / f"{kind}-{name}.npz"
    arrays = _read(path)
    if arrays is not None and valid(arrays):
        return arrays
    arrays = compute()
    try:
        _write(path, arrays)
    except OSError as error:
        _log.warning("cannot keep a reference set in %s: %s", path.parent, error)
    return arrays


def _name(chain: KinematicChain, targets: Floats, settings: Mapping[str, object]) -> str:
    canonical = chain.canonical
    # The fingerprint rounds limits and leaves out mounting and tool; the solutions do not.
    exact = (
        chain.lower, chain.upper, canonical.first_joint_in_base, canonical.tip_in_last_joint,
        targets,
    )  # fmt: skip
    text = json.dumps({"format": _FORMAT, **settings}, sort_keys=True)
    content = hashlib.sha256(f"{chain.fingerprint} {targets.shape} {text}".encode())
    for array in exact:
        content.update(np.ascontiguousarray(array, np.float64).tobytes())
    return content.hexdigest()[:32]


def _read(path: Path) -> Arrays | None:
    """Return the arrays of a file that is whole, else None."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        kept = str(arrays.pop(_DIGEST))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        _log.warning("computing %s again, it cannot be read: %s", path, error)
        return None
    if kept != _digest(arrays):
        _log.warning("computing %s again, it was changed", path)
        return None
    return arrays


def _write(path: Path, arrays: Arrays) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(
                file, allow_pickle=False, **{_DIGEST: np.array(_digest(arrays))}, **arrays
            )
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _digest(arrays: Arrays) -> str:
    content = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        content.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        content.update(array.tobytes())
    return content.hexdigest()
