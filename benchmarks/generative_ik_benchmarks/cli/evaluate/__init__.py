"""Chains come in, tables measured beside other solvers go out: one file a protocol."""

import typer

from generative_ik_benchmarks.cli.evaluate import (
    batches,
    convergence,
    generative,
    gpu,
    leave_one_out,
    peers,
    reachability,
    scale,
    seed_value,
    seeds,
    table,
    throughput,
    trac_ik,
    unreachable,
)

app = typer.Typer(help="Measure the solver beside others; results are checked by pinocchio.")
app.command("reachability")(reachability.reachability_command)
app.command("throughput")(throughput.throughput_command)
app.command("peers")(peers.peers_command)
app.command("trac-ik")(trac_ik.trac_ik_command)
app.command("convergence")(convergence.convergence_command)
app.command("batches")(batches.batches_command)
app.command("generative")(generative.generative_command)
app.command("seed-value")(seed_value.seed_value_command)
app.command("seeds")(seeds.seeds_command)
app.command("leave-one-out")(leave_one_out.leave_one_out_command)
app.command("gpu")(gpu.gpu_command)
app.command("scale")(scale.scale_command)
app.command("unreachable")(unreachable.unreachable_command)
app.command("table")(table.table_command)
