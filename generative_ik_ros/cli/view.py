"""`generative-ik view`: a web page with targets to drag, served until it is interrupted."""

import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from generative_ik_ros.cli.chains import ChainOptions
from generative_ik_ros.cli.collisions import CollisionOptions
from generative_ik_ros.cli.groups import with_groups
from generative_ik_ros.cli.options import MaybePath, MaybeText, Sampler
from generative_ik_ros.errors import InvalidArgumentError, importing

if TYPE_CHECKING:
    from generative_ik_ros.robot.chain import KinematicChain
    from generative_ik_ros.viewer.session import Settings

Host = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for other machines.")]
Port = Annotated[
    int, typer.Option(min=1, max=65535, help="Port; if it is taken, the next free one is used.")
]


@with_groups
def view(
    *,
    arm: ChainOptions,
    checked: CollisionOptions,
    path: Annotated[
        MaybePath,
        typer.Option(
            metavar="FILE",
            help="A path to play: what `path` has written by --output or --trajectory.",
        ),
    ] = None,
    reach: Annotated[
        MaybePath,
        typer.Option(metavar="PATH", help="A map to show: what `reach` has written by --save."),
    ] = None,
    num_solutions: Annotated[
        int, typer.Option(min=1, max=2000, help="Largest number of arms.")
    ] = 100,
    sampler: Sampler = "auto",
    beside: Annotated[
        MaybeText,
        typer.Option(
            metavar="SAMPLER",
            help="Another sampler, whose arms are shown side by side with these.",
        ),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Show what samplers propose instead of solutions.")
    ] = False,
    host: Host = "127.0.0.1",
    port: Port = 8080,
) -> None:
    """Drag a target on a web page, one for each tip, and see all configurations that reach it."""
    from generative_ik_ros.samplers.registry import AUTO, sampler_class

    check_viser()
    checked.check(meshes_also_drawn=True)
    for option, given in (("--path", path), ("--reach", reach)):
        if len(arm.tips) > 1 and given is not None:
            raise InvalidArgumentError(f"{option} is for one --tip-link")
    chain = arm.tree()
    for name in {sampler, beside or AUTO} - {AUTO}:
        sampler_class(name)
    from generative_ik_ros.cli.console import spinner
    from generative_ik_ros.viewer.session import Settings

    content: dict[str, Any] = {}
    if path is not None:
        from generative_ik_ros.cli.path_files import read_path
        from generative_ik_ros.viewer.player import TimedPath

        content["path"] = TimedPath(*read_path(path, chain))
    if reach is not None:
        from generative_ik_ros.reach.reachability_map import ReachabilityMap, check_fits

        content["reach"] = ReachabilityMap.load(reach)
        check_fits(content["reach"], chain)
    with spinner("reading the robot's geometry"):
        content["collision"] = checked.model(arm.robot, arm.urdf)
        content["obstacles"] = checked.read_scene()
    settings = Settings(num_solutions=num_solutions, sampler=sampler, beside=beside or "", raw=raw)
    serve(chain, checked.mesh_dir, settings, host, port, **content)


def check_viser() -> None:
    """Raise a MissingDependencyError if viser is not installed."""
    with importing("the viewer needs viser", "'viser>=1.1'"):
        import viser  # noqa: F401


def serve(
    chain: "KinematicChain",
    mesh_dirs: Sequence[str] | None,
    settings: "Settings",
    host: str,
    port: int,
    **content: Any,  # noqa: ANN401 (each as `Viewer` takes it)
) -> None:
    """Show a chain, or a tree, on a web page until the command is interrupted."""
    from generative_ik_ros.cli.console import spinner
    from generative_ik_ros.collision.checker import CollisionChecker
    from generative_ik_ros.viewer.surfaces import read_surfaces
    from generative_ik_ros.viewer.viewer import Viewer

    folders = [Path(folder) for folder in mesh_dirs or ()]
    collision = content.get("collision")
    others = None if collision is None else collision.joint_positions
    surfaces = read_surfaces(chain, folders, others)
    if surfaces.missing:
        typer.echo(
            f"{len(surfaces.missing)} meshes not found, as {surfaces.missing[0]}; see --mesh-dir",
            err=True,
        )
    if collision is not None:
        with spinner("reading the robot's geometry"):
            # A scene that does not fit the robot is refused before the page is there.
            CollisionChecker(collision, chain).at(content.get("obstacles"))
    # Set explicitly, because a shell that starts it in the background makes it ignore SIGINT.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    viewer = Viewer(chain, surfaces, settings, host, port, **content)
    try:
        typer.echo(f"{chain.description.name} at {viewer.url} (Ctrl-C ends it)")
        while True:
            time.sleep(3600.0)
    except KeyboardInterrupt:
        pass
    finally:
        viewer.close()
