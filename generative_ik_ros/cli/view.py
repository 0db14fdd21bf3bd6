"""`generative-ik view`: a web page with targets to drag, served until it is interrupted."""

import signal
import time
from pathlib import Path
from typing import Annotated

import typer

from generative_ik_ros.cli import chains, collisions
from generative_ik_ros.cli.options import MaybePath, MaybeTexts, Sampler
from generative_ik_ros.errors import InvalidArgumentError, importing


def view(
    robot: chains.Robot = None,
    urdf: chains.Urdf = None,
    base_link: chains.BaseLink = None,
    tip_link: chains.TipLinks = None,
    missing_limits: chains.MissingLimits = "error",
    mesh_dir: Annotated[
        MaybeTexts,
        typer.Option(
            "--mesh-dir",
            "--mesh-folder",
            metavar="DIR",
            help="Where package://NAME/... is NAME/...; may be repeated.",
        ),
    ] = None,
    scene: collisions.SceneFile = None,
    avoid_collisions: collisions.AvoidCollisions = False,  # noqa: FBT002
    srdf: collisions.Srdf = None,
    spheres: collisions.Spheres = None,
    padding: collisions.Padding = None,
    path: Annotated[
        MaybePath,
        typer.Option(
            metavar="FILE",
            help="A path to play: what `path` has written by --output or --trajectory.",
        ),
    ] = None,
    num_solutions: Annotated[
        int, typer.Option(min=1, max=2000, help="Largest number of arms.")
    ] = 100,
    sampler: Sampler = "auto",
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 for other machines.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="If it is taken, the next free one is used.")
    ] = 8080,
) -> None:
    """Drag a target on a web page, one for each tip, and see all configurations that reach it."""
    from generative_ik_ros.samplers.registry import AUTO, sampler_class

    with importing("the viewer needs viser", "'viser>=1.1'"):
        import viser  # noqa: F401
    checked = collisions.CollisionOptions(
        scene, avoid_collisions, srdf, mesh_dir, spheres, padding
    )
    checked.check(meshes_also_drawn=True)
    tips = tip_link or []
    if len(tips) > 1 and path is not None:
        raise InvalidArgumentError("--path is for one --tip-link")
    named = robot, urdf, base_link
    chain = chains.chosen_chain(*named, next(iter(tips), None), missing_limits)
    shown = chains.chosen_robot(*named, tips, missing_limits) if len(tips) > 1 else chain
    if sampler != AUTO:
        sampler_class(sampler)
    from generative_ik_ros.cli.console import spinner
    from generative_ik_ros.collision.checker import CollisionChecker
    from generative_ik_ros.viewer.session import Settings
    from generative_ik_ros.viewer.surfaces import read_surfaces
    from generative_ik_ros.viewer.viewer import Viewer

    played = None
    if path is not None:
        from generative_ik_ros.cli.path_files import read_path
        from generative_ik_ros.viewer.path_player import TimedPath

        played = TimedPath(*read_path(path, chain))
    folders = [Path(folder) for folder in mesh_dir or ()]
    surfaces = read_surfaces(shown, None if urdf is None else Path(urdf), folders)
    if surfaces.missing:
        typer.echo(
            f"{len(surfaces.missing)} meshes not found, as {surfaces.missing[0]}; see --mesh-dir",
            err=True,
        )
    settings = Settings(num_solutions=num_solutions, sampler=sampler)
    with spinner("reading the robot's geometry"):
        model, obstacles = checked.model(robot, urdf), checked.read_scene()
        if model is not None:
            # A scene that does not fit the robot is refused before the page is there.
            CollisionChecker(model, shown).at(obstacles)
    # Set explicitly, because a shell that starts it in the background makes it ignore SIGINT.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    viewer = Viewer(shown, surfaces, settings, host, port, model, obstacles, played)
    try:
        typer.echo(f"{chain.description.name} at {viewer.url} (Ctrl-C ends it)")
        while True:
            time.sleep(3600.0)
    except KeyboardInterrupt:
        pass
    finally:
        viewer.close()
