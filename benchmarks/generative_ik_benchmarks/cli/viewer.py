"""The command `generative-ik evaluate viewer`: frames of the web viewer while a target moves."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.errors import importing

if TYPE_CHECKING:
    from generative_ik_benchmarks.viewer_frames import Drag


def viewer_command(
    robot: Annotated[str, typer.Option(help="A robot that comes with the package.")] = "panda",
    seconds: Annotated[float, typer.Option(min=1.0, help="How long the target moves.")] = 5.0,
    num_solutions: Annotated[int, typer.Option("-n", "--num-solutions", min=1, max=2000)] = 100,
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8080,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of lines.")] = False,
) -> None:
    """Move the viewer's target at 30 Hz and print the times of its frames."""
    from generative_ik_benchmarks.viewer_frames import RATE, drag
    from generative_ik_ros.cli.console import json_text
    from generative_ik_ros.robot.known import load_robot

    with importing("the viewer needs viser", "'viser>=1.1'"):
        from generative_ik_ros.viewer.session import Settings
        from generative_ik_ros.viewer.surfaces import read_surfaces
        from generative_ik_ros.viewer.viewer import Viewer
    chain = load_robot(robot)
    settings = Settings(num_solutions=num_solutions, sampler="auto")
    viewer = Viewer(chain, read_surfaces(chain, None, []), settings, "127.0.0.1", port)
    try:
        if not as_json:
            typer.echo(f"{viewer.url}: {RATE:.0f} targets a second; median, 95th percentile [ms]")
            typer.echo("frames   arms      solve           draw            delay       pages")
        total = drag(viewer, seconds, lambda part: None if as_json else typer.echo(_line(part)))
    finally:
        viewer.close()
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
