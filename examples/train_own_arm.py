"""Train a learned sampler for an arm of your own, and solve with it.

Needs the extra `learned`. Usage: python train_own_arm.py [URDF BASE_LINK TIP_LINK [MINUTES]]
"""

import subprocess
import sys
from pathlib import Path

from generative_ik_ros import IKSolver, KinematicChain

own = (str(Path(__file__).with_name("my_arm.urdf")), "base", "tool")
urdf, base_link, tip_link = sys.argv[1:4] or own
minutes = sys.argv[4] if len(sys.argv) > 4 else "0.2"  # 20 for a model worth having

# The same as typing `generative-ik train ikflow ...`. The weights go to the user's folder, from
# where the sampler loads them by the fingerprint of the chain; --output FILE puts them elsewhere.
subprocess.run(
    [sys.executable, "-m", "generative_ik_ros", "train", "ikflow",
     "--urdf", urdf, "--base-link", base_link, "--tip-link", tip_link,
     "--minutes", minutes],
    check=True,
)  # fmt: skip

chain = KinematicChain.from_urdf(urdf, base_link, tip_link)
target = chain.forward(0.4 * chain.lower + 0.6 * chain.upper)
for sampler in ("ikflow", "quasi_random"):
    solver = IKSolver(chain, sampler=sampler)
    found = solver.solve(target, num_solutions=8)
    work = found.timings
    share = f"{work.exact} of {work.seeds} seeds converged"
    print(f"{found.sampler}: {found.counts[0]} solutions, {share}, {1e3 * work.total:.1f} ms")
# Seconds of training give seeds hardly better than quasi-random ones; see docs/training.md.
