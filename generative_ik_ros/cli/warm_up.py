"""`generative-ik warm-up`: fills the cache of compiled code, for images and first starts."""

import os
import time
import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli.collisions import CollisionOptions, MeshDirs, Spheres, Srdf, Visuals
from generative_ik_ros.cli.options import MaybePath, MaybeTexts
from generative_ik_ros.errors import GenerativeIKWarning, InvalidArgumentError

if TYPE_CHECKING:
    from generative_ik_ros.robot.chain import KinematicChain

_ROBOTS = "panda", "ur10"
"""The joints of one have room for several turns, those of the other do not."""
_SMALL = "planar_3r"


def _warm_up_collisions() -> None:
    """Compile what collision checks need: a search for a small arm, and curves of seven joints."""
    from generative_ik_ros.robot.known import load_robot

    for name in _SMALL, _ROBOTS[0]:
        _warm_up_collisions_of(load_robot(name))


def _warm_up_collisions_of(chain: "KinematicChain") -> None:
    """Compile what checks of an arm among a box, a mesh and points need."""
    import numpy as np

    from generative_ik_ros.collision.model import CollisionModel
    from generative_ik_ros.collision.scene import Scene
    from generative_ik_ros.collision.shapes import Box, Mesh
    from generative_ik_ros.pipeline import IKSolver

    corners = 0.02 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    wedge = Mesh(corners, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    # Away from the middle of the links, so that not all of what is checked collides.
    aside = np.eye(4)
    aside[2, 3] = 0.2
    base, tip = chain.base_link, chain.tip_link
    model = CollisionModel(chain.description, (), {}, None)
    model = model.attach(base, [Box(np.full(3, 0.02), pose=aside)]).attach(tip, [wedge])
    boxes = {"box": ((0.1, 0.1, 0.1), (0.0, 0.0, 5.0))}
    scene = Scene(boxes=boxes, meshes=[(corners + 5.0, wedge.faces)], points=corners + 3.0)
    with warnings.catch_warnings():
        # Whether coal is there makes no difference here.
        warnings.simplefilter("ignore", GenerativeIKWarning)
        solver = IKSolver(chain, collision=model)
    solver.warm_up(optimize=True)
    near = chain.forward((chain.lower + chain.upper) / 2.0)
    for count in (1, 3):
        found = solver.solve(near, count, scene=scene)
    solver.collides(found.positions[0, :1], scene=scene)


def _store_geometry(name: str, options: CollisionOptions, urdf: str | None) -> None:
    """Build and store the spheres of a robot's links, and what needs no check among them."""
    from generative_ik_ros.cli.console import spinner

    start = time.perf_counter()
    with spinner(f"{name}, collision geometry"):
        model = options.model(None if urdf else name, urdf)
        assert model is not None  # noqa: S101
        _ = model.unchecked
    spent = time.perf_counter() - start
    typer.echo(f"{name}, collision geometry of {len(model.links)} links: {spent:.1f} s")


def warm_up(
    robot: Annotated[
        MaybeTexts,
        typer.Option(help="A robot to try; may be repeated. Default: two that need all kernels."),
    ] = None,
    sampler: Annotated[
        MaybeTexts,
        typer.Option(help="A sampler that will be used; may be repeated. Default: auto."),
    ] = None,
    urdf: Annotated[
        MaybePath,
        typer.Option(metavar="FILE", help="A robot whose collision geometry is prepared, too."),
    ] = None,
    srdf: Srdf = None,
    mesh_dir: MeshDirs = None,
    spheres: Spheres = None,
    visuals: Visuals = False,
) -> None:
    """Compile the kernels once, so that later starts only load them.

    They are the same for all robots, and hold for this kind of processor and these versions of
    the package and of numba. Those for collision checks are among them. The spheres that
    stand for a robot's links in these checks are built and stored beside them. Set NUMBA_CACHE_DIR
    to choose the folder.
    """
    if urdf is None and not (srdf is None and spheres is None and not mesh_dir and not visuals):
        raise InvalidArgumentError("--srdf, --mesh-dir, --spheres and --visuals go with --urdf")
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
                solver = IKSolver(chain, sampler=name)
                solver.warm_up(optimize=True, regions=True)
            spent = time.perf_counter() - start
            typer.echo(f"{chain.description.name}, sampler {name}: {spent:.1f} s")
    start = time.perf_counter()
    with spinner("collision checks"):
        _warm_up_collisions()
    typer.echo(f"collision checks: {time.perf_counter() - start:.1f} s")
    plain = CollisionOptions(avoid_collisions=True)
    for chain, name in zip(chains, robot or _ROBOTS, strict=True):
        if chain.description.collisions:
            _store_geometry(name, plain, None)
    if urdf is not None:
        own = plain._replace(srdf=srdf, mesh_dir=mesh_dir, spheres=spheres, visuals=visuals)
        _store_geometry(urdf.name, own, str(urdf))
    if not KernelCache.folders:  # why not was warned of
        raise typer.Exit(1)
    folder = os.path.commonpath(KernelCache.folders)
    typer.echo(f"compiled code is in {folder}, after {time.perf_counter() - begin:.1f} s")
