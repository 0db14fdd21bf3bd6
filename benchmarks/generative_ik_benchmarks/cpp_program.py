"""The C++ library in a process of its own, whose calls are timed there: `evaluate cpp`."""

import shutil
import subprocess
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import MissingDependencyError
from generative_ik_ros.robot.chain import KinematicChain

_SOURCES = Path(__file__).parent / "cpp"
_PIP = Path(sysconfig.get_path("purelib"), "cmeel.prefix")
"""Where pip's Eigen is; the system's is found without."""


class Call(NamedTuple):
    """What a call took [s], and the solutions (k, n) that it found."""

    seconds: float
    found: Floats


class CppProgram:
    """The solver of a chain in C++; a context manager, which ends the process.

    Args:
        chain: The chain.
        folder: Where the program is built, and what it reads is written.
        prefix: Where the C++ library is installed; None: as it was built for this package.

    Raises:
        MissingDependencyError: There is no CMake, or no library, or the program does not build.
    """

    def __init__(self, chain: KinematicChain, folder: Path, prefix: Path | None = None):
        """Build and start the program."""
        program = _built(folder, prefix or install_core(folder))
        file = folder / "chain"
        file.write_text(_words(_chain(chain)))
        self._joints = chain.num_joints
        self._process = subprocess.Popen(
            [program, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> "CppProgram":
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process, which stops where its input ends."""
        self._process.communicate()

    def solve(self, targets: Floats, num_solutions: int, seed_states: Floats | None) -> list[Call]:
        """Solve poses (N, 4, 4), a call each, maybe with seed states (N, n).

        A first call does not count.
        """
        lines = [_words([num_solutions, int(seed_states is not None), len(targets)])]
        for k, target in enumerate(targets):
            seed = [] if seed_states is None else seed_states[k].tolist()
            lines.append(_words([*target[:3].flat, *seed]))
        requests, answers = _pipe(self._process.stdin), _pipe(self._process.stdout)
        requests.write("\n".join(lines) + "\n")
        requests.flush()
        return [self._call(answers.readline()) for _ in targets]

    def _call(self, line: str) -> Call:
        seconds, count, *numbers = line.split()
        return Call(float(seconds), np.array(numbers, float).reshape(int(count), self._joints))


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None  # noqa: S101 (for the type checker)
    return stream


def _words(words: Iterable[object]) -> str:
    """Return a line; numbers of numpy and Python alike have all of their digits."""
    return " ".join(repr(float(word)) if isinstance(word, float) else str(word) for word in words)


def _chain(chain: KinematicChain) -> list[object]:
    """Return the numbers of a chain, as the program reads them."""
    words: list[object] = [chain.num_joints, len(chain.joint_axes)]
    revolute = np.ones(chain.num_joints, int)
    revolute[chain.joint_variable[chain.joint_prismatic]] = 0
    for j in range(chain.num_joints):
        words += [int(chain.continuous[j]), revolute[j], chain.lower[j], chain.upper[j]]
    for i, axis in enumerate(chain.joint_axes):
        words += [int(chain.joint_prismatic[i]), chain.joint_variable[i]]
        words += [chain.joint_multiplier[i], chain.joint_offset[i]]
        words += [*axis, *chain.joint_origins[i, :3].flat]
    return [*words, *chain.tip_in_last_joint[:3].flat]


def install_core(folder: Path) -> Path:
    """Install the library that was built with the native module of a checkout into a folder."""
    tag = sysconfig.get_config_var("EXT_SUFFIX").strip(".").removesuffix(".so")
    checkout = Path(_core.__file__).resolve().parents[1]
    core = checkout / "build" / "native" / tag / "core"
    if not (core / "cmake_install.cmake").exists():
        raise MissingDependencyError(
            "the C++ library is not built: make build in a checkout, or --prefix DIR, where it is "
            "installed"
        )
    _run("--install", core, "--prefix", folder / "installed")
    return folder / "installed"


def _built(folder: Path, prefix: Path) -> Path:
    """Build the program with the library that is installed somewhere."""
    build = folder / "build"
    _run("-S", _SOURCES, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix.resolve()};{_PIP}")
    _run("--build", build)
    return build / "single_calls"


def _run(*words: str | Path) -> None:
    cmake = shutil.which("cmake")
    if cmake is None:
        raise MissingDependencyError("the C++ library needs CMake: sudo apt install cmake g++")
    done = subprocess.run([cmake, *words], capture_output=True, text=True)
    if done.returncode:
        raise MissingDependencyError(f"the C++ program was not built:\n{done.stderr[-2000:]}")
