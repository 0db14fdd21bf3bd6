"""`generative-ik warm-up`: fills the cache of compiled code, for images and first starts."""

import os
import time
from typing import Annotated

import typer

from generative_ik_ros.cli.options import MaybeTexts

_ROBOTS = "panda", "ur10"
"""The joints of one have room for several turns, those of the other do not."""


def warm_up(
    robot: Annotated[
        MaybeTexts,
        typer.Option(help="A robot to try; may be repeated. Default: two that need all kernels."),
    ] = None,
    sampler: Annotated[
        MaybeTexts,
        typer.Option(help="A sampler that will be used; may be repeated. Default: auto."),
    ] = None,
) -> None:
    """Compile the kernels once, so that later starts only load them.

    They are the same for all robots, and hold for this kind of processor and these versions of
    the package and of numba. Set NUMBA_CACHE_DIR to choose the folder.
    """
    from generative_ik_ros.cli.console import spinner
    from generative_ik_ros.compiled.cache import KernelCache
    from generative_ik_ros.pipeline import IKSolver
    from generative_ik_ros.robot.known import load_robot

    begin = time.perf_counter()
    chains = [load_robot(name) for name in robot or _ROBOTS]
    for chain in chains:
        for name in sampler or ("auto",):
            start = time.perf_counter()
            with spinner(f"{chain.description.name}, sampler {name}"):
                IKSolver(chain, sampler=name).warm_up()
            spent = time.perf_counter() - start
            typer.echo(f"{chain.description.name}, sampler {name}: {spent:.1f} s")
    if not KernelCache.folders:  # why not was warned of
        raise typer.Exit(1)
    folder = os.path.commonpath(KernelCache.folders)
    typer.echo(f"compiled code is in {folder}, after {time.perf_counter() - begin:.1f} s")
