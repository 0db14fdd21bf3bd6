"""Where compiled kernels are kept: numba's cache, for updates and locked-down machines."""

import errno
import hashlib
import inspect
import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from numba.core import caching, config

from generative_ik_ros.errors import GenerativeIKWarning

_PACKAGE = Path(__file__).resolve().parent.parent
_HAS_KERNELS = re.compile(
    rb"^(?:from|import) (?:numba|generative_ik_ros\.compiled(?!\.solving_time))\b", re.M
)
"""What modules with kernels, or with parts of them, begin with."""


class _Nowhere(caching.InTreeCacheLocator):
    """The place of a kernel's code where no folder can be written."""

    def ensure_cache_path(self) -> None:
        """Refuse to write."""
        raise OSError(errno.EROFS, "no folder for it can be written")

    @classmethod
    def from_function(cls, py_func, py_file):  # noqa: ANN001, ANN206
        """Take any function."""
        return cls(py_func, py_file)


class _Implementation(caching.CompileResultCacheImpl):
    _locator_classes = [*caching.CompileResultCacheImpl._locator_classes, _Nowhere]  # noqa: SLF001


class _Files(caching.IndexDataCacheFile):
    """numba's index and data files, with the key and the state of the sources in the data.

    Two processes that write at once can leave an index that names the other's data, and one that
    ends in between leaves an index that names old data.
    """

    def __init__(self, folder: str, name: str, stamp: str):
        """Take the folder, the begin of the files' names and the state of the sources."""
        super().__init__(folder, name, stamp)
        self.folder = folder

    def save(self, key: object, data: object) -> None:
        """Write data and what it was made from."""
        super().save(key, (self._source_stamp, key, data))

    def load(self, key: object) -> Any:  # noqa: ANN401 (numba's data)
        """Return data that was made from the present sources for a key, or None."""
        stamp, of, data = super().load(key) or (None, None, None)
        return data if stamp == self._source_stamp and of == key else None

    def _load_index(self) -> dict:
        try:
            return super()._load_index()
        except Exception:  # cut off, damaged, not readable, or of modules that are gone
            return {}


class KernelCache(caching.FunctionCache):
    """numba's cache, fresh while no source has changed; no fault of a disk stops it.

    numba takes a compiled function from its cache when the function's own file has not changed,
    and does not look at the files of the functions that were compiled into it. After an update of
    the package in place that could be an old kernel with new callers. So the contents of all of
    these sources count here, and for a function of another package the files in its folder.

    It is written to the first of numba's folders that can be written, and read from those before
    it, too: a user who may not write there can use what an image brings.

    Attributes:
        folders: Where this process has found or written compiled code, for all kernels.
    """

    folders: ClassVar[set[str]] = set()
    _impl_class = _Implementation
    _warned = False

    def __init__(self, py_func: Callable):
        """Find the folders."""
        super().__init__(py_func)
        source = inspect.getfile(py_func)
        places: list[Any] = [caching.InTreeCacheLocator(py_func, source)]
        if config.CACHE_DIR:  # pyright: ignore[reportAttributeAccessIssue]
            places.insert(0, caching.UserProvidedCacheLocator(py_func, source))
        others = [place.get_cache_path() for place in places]
        if self._cache_path in others:
            others = others[: others.index(self._cache_path)]
        folder = Path(source).resolve().parent
        stamp = _state_of_sources(None if _PACKAGE in folder.parents else folder)
        self._files = [
            _Files(place, self._impl.filename_base, stamp) for place in (self._cache_path, *others)
        ]
        self._cache_file = self._files[0]

    def save_overload(self, sig, data) -> None:  # noqa: ANN001
        """Keep a compiled function, if there is a folder for it and room in it."""
        try:
            super().save_overload(sig, data)
            self.folders.add(self.cache_path)
        except OSError as error:
            if not KernelCache._warned:
                KernelCache._warned = True
                warnings.warn(
                    "compiled code cannot be kept, so that every start compiles anew: "
                    f"{error.strerror} ('{self.cache_path}'); set NUMBA_CACHE_DIR to a folder "
                    "that can be written",
                    GenerativeIKWarning,
                    stacklevel=2,
                )

    def _load_overload(self, sig, target_context):  # noqa: ANN001, ANN202
        key = self._index_key(sig, target_context.codegen())
        for files in self._files:
            try:
                if (data := files.load(key)) is not None:
                    found = self._impl.rebuild(target_context, data)
                    self.folders.add(files.folder)
                    return found
            except Exception:  # noqa: S112 (as in `_load_index`)
                continue
        return None


@lru_cache
def _state_of_sources(outside: Path | None) -> str:
    """Return a digest that changes with the sources of kernels: the package's, or in a folder.

    Of the package all files count in those of its folders in which a module has kernels.
    """
    package = {file: file.read_bytes() for file in sorted(_PACKAGE.rglob("*.py"))}
    parts = {file: file.relative_to(_PACKAGE).parts[0] for file in package}
    counting = {parts[file] for file, text in package.items() if _HAS_KERNELS.search(text)}
    state = hashlib.sha256()
    for file, text in package.items():
        # Not its time of change, which the layers of a container's image may round.
        if parts[file] in counting:
            state.update(text)
    for file in sorted(outside.rglob("*.py")) if outside else ():
        stat = file.stat()
        state.update(f"{file.name} {stat.st_mtime_ns} {stat.st_size}".encode())
    return state.hexdigest()
