"""`generative-ik view`: a web page with a target to drag, served until it is interrupted."""

import signal
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli import chains
from generative_ik_ros.cli.options import MaybeNumber, MaybeTexts
from generative_ik_ros.errors import InvalidArgumentError, MissingDependencyError

if TYPE_CHECKING:
    from generative_ik_ros.viewer.benchmark import Drag
    from generative_ik_ros.viewer.viewer import Viewer


def view(
    robot: chains.Robot = None,
    urdf: chains.Urdf = None,
    base_link: chains.BaseLink = None,
    tip_link: chains.TipLink = None,
    missing_limits: chains.MissingLimits = "error",
    mesh_folder: Annotated[
        MaybeTexts,
        typer.Option(metavar="DIR", help="Where package://NAME/... is NAME/...; may be repeated."),
    ] = None,
    num_solutions: Annotated[
        int, typer.Option(min=1, max=2000, help="Largest number of arms.")
    ] = 100,
    sampler: Annotated[str, typer.Option(help="What proposes the seeds.")] = "auto",
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 for other machines.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="If it is taken, the next free one is used.")
    ] = 8080,
    benchmark: Annotated[
        MaybeNumber,
        typer.Option(
            metavar="SECONDS", help="Move the target at 30 Hz for so long, print times and exit."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the benchmark's result as JSON.")
    ] = False,
) -> None:
    """Drag a target on a web page and see all configurations that reach it."""
    from generative_ik_ros.samplers.registry import AUTO, sampler_class

    if benchmark is not None and not benchmark >= 1.0:
        raise InvalidArgumentError(f"--benchmark must be at least 1 second, not {benchmark}")
    try:
        import viser  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            "the viewer needs viser, which is not installed: pip install 'viser>=1.1'"
        ) from error
    chain = chains.chosen_chain(robot, urdf, base_link, tip_link, missing_limits)
    if sampler != AUTO:
        sampler_class(sampler)
    from generative_ik_ros.viewer.session import Settings
    from generative_ik_ros.viewer.surfaces import read_surfaces
    from generative_ik_ros.viewer.viewer import Viewer

    folders = [Path(folder) for folder in mesh_folder or ()]
    surfaces = read_surfaces(chain, None if urdf is None else Path(urdf), folders)
    if surfaces.missing:
        typer.echo(
            f"{len(surfaces.missing)} meshes not found, as {surfaces.missing[0]}; "
            "see --mesh-folder",
            err=True,
        )
    settings = Settings(num_solutions=num_solutions, sampler=sampler)
    # Set explicitly, because a shell that starts it in the background makes it ignore SIGINT.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    viewer = Viewer(chain, surfaces, settings, host, port)
    try:
        if benchmark is None:
            typer.echo(f"{chain.description.name} at {viewer.url} (Ctrl-C ends it)")
            while True:
                time.sleep(3600.0)
        _benchmark(viewer, benchmark, as_json)
    except KeyboardInterrupt:
        pass
    finally:
        viewer.close()


def _benchmark(viewer: "Viewer", seconds: float, as_json: bool) -> None:
    """Drag the target and print the times, second by second and overall."""
    from generative_ik_ros.cli.console import json_text
    from generative_ik_ros.viewer.benchmark import RATE, drag

    if not as_json:
        typer.echo(f"{viewer.url}: {RATE:.0f} targets a second; median and 95th percentile in ms")
        typer.echo("frames   arms      solve           draw            delay       pages")
    total = drag(viewer, seconds, lambda part: None if as_json else typer.echo(_line(part)))
    if as_json:
        typer.echo(json_text(asdict(total)))
    else:
        typer.echo(f"{total.frames} of {total.targets} targets drawn in {total.seconds:.1f} s:")
        typer.echo(_line(total))


def _line(drag: "Drag") -> str:
    times = (
        f"{1e3 * middle:6.1f} {1e3 * worst:6.1f}"
        for middle, worst in (drag.solving, drag.drawing, drag.delay)
    )
    return f"{drag.frames:6d} {drag.arms:6.1f}   {'   '.join(times)}   {drag.pages:5d}"
