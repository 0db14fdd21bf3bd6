"""Fuzzer for the native core: random wrong calls, watched by sanitizers.

    python scripts/reliability/fuzz_core.py --seconds 600 --seed 0

Builds the module with -fsanitize=address,undefined in build/fuzz/core, and calls all its functions
as `test/bindings/random_calls.py` does. What a sanitizer finds ends it, and is printed with the
number of the call. Run by `make fuzz`.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CALLS = ROOT / "test" / "bindings" / "random_calls.py"
MOST = 10**9


def built(folder: Path) -> Path:
    """Return the folder of the module, after building it."""
    flags = "-DGENERATIVE_IK_SANITIZE=address,undefined -DCMAKE_CXX_FLAGS_RELEASE=-O1"
    options = ("--quiet", "build_ext", "--build-lib", folder / "module")
    environment = {"CMAKE_ARGS": flags, "GENERATIVE_IK_BUILD": str(folder)}
    command = (sys.executable, "setup.py", *options)
    subprocess.run(command, cwd=ROOT, env=os.environ | environment, check=True)
    return folder / "module" / "generative_ik_ros"


def library(name: str) -> str:
    """Return the path of one of the compiler's libraries."""
    asked = (*os.environ.get("CXX", "c++").split(), f"-print-file-name={name}")
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    """Build, then make calls as the shell asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    limits = ("--calls", str(MOST), "--seconds", str(options.seconds), "--seed", str(options.seed))
    core = ("--core", built(ROOT / "build" / "fuzz" / "core"))
    done = subprocess.run(
        [sys.executable, CALLS, "core_calls", *limits, *core],
        # Python itself leaks at its end, and a call that asks for too much memory is to raise.
        env=os.environ
        | {
            # The sanitizer looks for how C++ throws when Python starts.
            "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so')}",
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    print(done.stdout.splitlines()[-1] if done.stdout else "nothing was called")
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
