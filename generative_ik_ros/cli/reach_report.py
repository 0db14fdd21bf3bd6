"""The summary of `generative-ik reach`: a table for people, or JSON."""

import numpy as np
import typer
from rich.table import Table

from generative_ik_ros.cli.console import console, json_text
from generative_ik_ros.reach.reachability_map import ReachabilityMap


def report(
    found: ReachabilityMap, seconds: float | None, computed: float, *, as_json: bool
) -> None:
    """Print a summary of a map.

    Args:
        found: The map.
        seconds: How long it took [s]; None: it was read.
        computed: The share of it that was computed in this time.
        as_json: Whether to print JSON.
    """
    poses, index = found.reachable.size, found.index
    tried = poses if found.tested is None else int(found.tested.sum())
    reached = int(found.reachable.sum())
    best = int(np.argmax(index))
    x, y, z = found.positions[best].tolist()
    if as_json:
        summary = {
            "base_link": found.base_link,
            "tip_link": found.tip_link,
            "fingerprint": found.fingerprint,
            "resolution": found.resolution,
            "positions": len(found.positions),
            "orientations": poses // len(found.positions),
            "poses": tried,
            "reached": reached,
            "best_position": (x, y, z),
            "best_index": index[best],
            "seconds": seconds,
            "computed": computed,
        }
        typer.echo(json_text(summary))
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    num_directions, num_turns = found.reachable.shape[1:]
    where = f"voxels of {found.resolution:g} m" if len(found.voxels) else "given points"
    some = "" if tried == poses else f", {100.0 * tried / poses:.1f} % of them tried"
    rows = {
        "map": f"{found.tip_link} in {found.base_link}",
        "positions": f"{len(found.positions):,} {where}",
        "orientations": f"{num_directions} directions, {num_turns} turns about each",
        "poses": f"{poses:,}{some}",
        "reached": f"{100.0 * reached / max(tried, 1):.2f} %",
        "best position": f"({x:.3f}, {y:.3f}, {z:.3f}) m, reachability index {index[best]:.3f}",
    }
    if seconds is not None:
        some = "" if computed == 1.0 else f" for the {100.0 * computed:.0f} % that were left"
        rows["time"] = f"{seconds:.1f} s{some}, {computed * tried / seconds:,.0f} poses a second"
    for name, value in rows.items():
        table.add_row(name, value)
    console().print(table)
