"""A robot and a time come in, weights of a distal net for its chain go out."""

from typing import Annotated

import typer

from generative_ik_ros.cli.chains import chosen_chain
from generative_ik_ros.cli.options import MaybeCount, MaybePath, MaybeText
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError


def distal(
    robot: Annotated[MaybeText, typer.Option(help="A robot that ships with the package.")] = None,
    urdf: Annotated[MaybeText, typer.Option(metavar="FILE", help="Any URDF file.")] = None,
    base_link: Annotated[MaybeText, typer.Option(help="Where the chain starts.")] = None,
    tip_link: Annotated[MaybeText, typer.Option(help="Where it ends.")] = None,
    missing_limits: Annotated[
        str, typer.Option(help="error, or continuous for revolute joints without limits.")
    ] = "error",
    minutes: Annotated[float, typer.Option(help="Time to train; the schedule fits it.")] = 20.0,
    steps: Annotated[
        MaybeCount, typer.Option(min=1, help="Train so many steps instead, however long it takes.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    members: Annotated[
        int, typer.Option(min=1, help="Nets side by side, one answer each; 1 as the paper.")
    ] = 8,
    hidden: Annotated[int, typer.Option(min=1, help="Width of the hidden layers.")] = 96,
    layers: Annotated[int, typer.Option(min=1, help="Hidden layers.")] = 3,
    pose_input: Annotated[
        str, typer.Option(help="cylindrical, 6d, or quaternion as the paper.")
    ] = "cylindrical",
    penalty: Annotated[
        float, typer.Option(help="Lambda of equation 3: for joints beyond their limits, per rad.")
    ] = 1.0,
    position_weight: Annotated[
        float, typer.Option(help="w of equation 2; the orientation's is 1 - w.")
    ] = 0.75,
    batch: Annotated[int, typer.Option(min=0, help="Poses a step; 0 by the device.")] = 0,
    learning_rate: Annotated[float, typer.Option(help="At its highest.")] = 2e-3,
    threads: Annotated[int, typer.Option(min=0, help="CPU threads; 0 is PyTorch's choice.")] = 0,
    half: Annotated[bool, typer.Option("--half", help="Write 16 bit weights.")] = False,
    output: Annotated[
        MaybePath, typer.Option(metavar="FILE", help="Weights; else the user's folder.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it stopped.")] = False,
    tensorboard: Annotated[
        MaybePath, typer.Option(metavar="DIR", help="Write a TensorBoard log.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed, the same training.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Train nets by distal teaching, for one chain: a pose in, one configuration a net out.

    Ctrl-C keeps the last checkpoint; --resume goes on from there.
    """
    from generative_ik_ros.cli.train_options import DEVICES, print_progress, require_torch

    chain = chosen_chain(robot, urdf, base_link, tip_link, missing_limits)
    if device not in DEVICES:
        raise UnknownNameError("device", device, DEVICES)
    require_torch()
    import torch

    from generative_ik_ros.samplers.checkpoint import SUFFIX, user_weights, weights_path
    from generative_ik_ros.samplers.distal.config import DistalConfig
    from generative_ik_ros.training.data import PoseData
    from generative_ik_ros.training.distal_task import DistalTask
    from generative_ik_ros.training.distributed import local_device
    from generative_ik_ros.training.loop import train
    from generative_ik_ros.training.options import TrainOptions

    if threads:
        torch.set_num_threads(threads)
    if device == "cuda" and not torch.cuda.is_available():
        raise InvalidArgumentError("device 'cuda' was asked for, but there is no CUDA device")
    wanted = "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"
    path = output or weights_path(user_weights(), "distal", chain.fingerprint)
    if path.suffix != SUFFIX:
        raise InvalidArgumentError(f"--output must end in {SUFFIX}, not '{path}'")
    config = DistalConfig(
        chain.num_joints,
        members=members,
        hidden=hidden,
        layers=layers,
        pose_input=pose_input,
        # On the CPU, whose random numbers are the same on every machine: it has to fit --resume.
        position_scale=round(PoseData(chain, torch.device("cpu")).position_scale(), 6),
    )
    task = DistalTask(
        chain,
        config,
        local_device(wanted),
        penalty=penalty,
        position_weight=position_weight,
        seed=seed,
    )
    options = TrainOptions(
        minutes=minutes,
        steps=steps,
        batch=batch or (256 if wanted == "cpu" else 4096),
        learning_rate=learning_rate,
        seed=seed,
        half=half,
        tensorboard=tensorboard,
    )
    summary = train(
        task, options, path, fingerprint=chain.fingerprint, resume=resume, report=print_progress
    )
    if not summary:  # not the first of several processes
        return
    if as_json:
        from generative_ik_ros.cli.console import json_text

        typer.echo(json_text({"file": path, "fingerprint": chain.fingerprint} | summary))
        return
    typer.echo(f"wrote {path}")
