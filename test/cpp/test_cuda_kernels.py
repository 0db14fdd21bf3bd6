"""The kernels for GPUs compile, and keep a seed's numbers in registers."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

_CORE = Path(__file__).parents[2] / "core"
_ARCHITECTURES = 75, 90
"""The oldest and a recent one: a wheel has all, and CI the time for two."""
_MOST_SPILLED = {"makeExact6": 512, "makeExact7": 768, "sphericalWristCoupled": 128}
"""Bytes that a thread stores because registers are short: two for each number of the few
iterations in double precision, and some numbers of a closed form. All other kernels have none."""
_IN_REGISTERS = (
    *("descend6", "descend7", "passDenseLayer", "passFlowHidden", "passFlowLast", "bendFlowSeeds"),
    *("beginFlowSeeds", "beginArms", "passArmNetwork"),
)
"""Kernels without arrays in a thread's memory; others of networks have the 38 numbers of a pose
there, or the 16 of a goal."""
_LINE = re.compile(
    r"Compiling entry function '(\w+)' for 'sm_(\d+)'.*?(\d+) bytes stack frame, "
    r"(\d+) bytes spill stores.*?Used (\d+) registers",
    re.DOTALL,
)


class Compiled(NamedTuple):
    """What ptxas says of a kernel."""

    name: str
    architecture: int
    stack: int
    spilled: int
    registers: int


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the kernels, once for all tests; return where that is with all on the way to it."""
    nvcc = shutil.which("nvcc") or pytest.skip(
        "no nvcc, which `nvcc -fatbin core/cuda/kernels.cu` needs: install CUDA's toolkit"
    )
    folder = tmp_path_factory.mktemp("cuda")
    generated = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in _ARCHITECTURES]
    done = subprocess.run(
        [
            *(nvcc, "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-fatbin", *generated),
            *("-Xptxas", "-v", "--keep", "--keep-dir", folder, "-o", folder / "kernels.fatbin"),
            *(f"-I{_CORE / 'include'}", _CORE / "cuda" / "kernels.cu"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (folder / "said").write_text(done.stderr + done.stdout)
    return folder


@pytest.fixture(scope="module")
def compiled(folder: Path) -> list[Compiled]:
    """All kernels."""
    said = (folder / "said").read_text()
    return [Compiled(name, *map(int, numbers)) for name, *numbers in _LINE.findall(said)]


def test_every_kernel_compiles_for_each_architecture(compiled: list[Compiled]):
    table = (_CORE / "src/device/kernels.cpp").read_text()
    names = set(re.findall(r'"(\w+)"', table[table.index("kTable") :]))
    assert len(names) == 28
    for architecture in _ARCHITECTURES:
        assert {one.name for one in compiled if one.architecture == architecture} == names


def test_registers_and_spills_are_bounded(compiled: list[Compiled]):
    for one in compiled:
        print(
            f"sm_{one.architecture} {one.name}: {one.registers} registers, {one.stack} bytes of "
            f"stack, {one.spilled} spilled"
        )
        assert one.registers <= 255
        assert one.spilled <= _MOST_SPILLED.get(one.name, 0), one
        if one.name in _IN_REGISTERS:
            assert one.stack == 0, "the numbers of a thread are in registers"


def test_numbers_are_not_copied_byte_by_byte(folder: Path):
    """As nvcc does where the CPU's code copies memory: eight reads for a number."""
    (ptx,) = folder.glob("*compute_90*.ptx")
    kernels = re.split(r"\.entry (\w+)", ptx.read_text())
    names, bodies = kernels[1::2], kernels[2::2]
    assert len(names) == 28
    for name, body in zip(names, bodies, strict=True):
        # Truth values are bytes.
        assert len(re.findall(r"\b(?:ld|st)\.[\w.]*u8", body)) <= 20, name
