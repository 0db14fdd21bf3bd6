"""`generative-ik robots`: the robots that come with the package."""

from textwrap import shorten
from typing import Annotated

import typer

_SHORT = 56
"""Characters of a source that the table shows."""


def robots(
    full: Annotated[bool, typer.Option("--full", help="Do not shorten the sources.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of a table.")
    ] = False,
) -> None:
    """List the robots that can be named with --robot."""
    from generative_ik_ros.cli.console import console, json_text
    from generative_ik_ros.robot.known import known_robot, load_robot, robot_names

    rows = []
    for name in robot_names():
        chain = load_robot(name)
        rows.append(
            {
                "name": name,
                "dof": chain.num_joints,
                "base_link": chain.base_link,
                "tip_link": chain.tip_link,
                "fingerprint": chain.fingerprint,
                "joint_names": chain.joint_names,
                "source": known_robot(name).source,
            }
        )
    if as_json:
        typer.echo(json_text(rows))
        return
    from rich.table import Table

    table = Table("robot", "DOF", "base link", "tip link", "fingerprint", "source")
    for row in rows:
        source = row["source"] if full else shorten(row["source"], _SHORT, placeholder=" ...")
        cells = (row[key] for key in ("name", "dof", "base_link", "tip_link", "fingerprint"))
        table.add_row(*map(str, cells), source)
    console().print(table)
