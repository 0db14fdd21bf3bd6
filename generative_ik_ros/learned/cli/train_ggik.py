"""Robots or none and a time come in, weights of a graph model for many arms go out."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli.options import MaybeText
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.learned.cli import train_options as shared

if TYPE_CHECKING:
    from generative_ik_ros.robot.chain import KinematicChain

_JOINTS = (6, 7)
"""Of random arms, as in the paper."""
_BATCHES = {
    (True, "cpu"): 512,
    (True, "cuda"): 8192,
    (False, "cpu"): 64,
    (False, "cuda"): 2048,
}
"""Configurations a step, by whether the model goes joint by joint, and by the device."""
_MEASURED = ("iiwa", "lwa4d", "lwa4p", "panda", "ur10")
"""Robots that a model for any arm is measured on while it is trained: the paper's."""


def ggik(
    robots: Annotated[
        MaybeText,
        typer.Option(
            metavar="NAMES",
            help="Arms, separated by commas: names that `generative-ik robots` lists, or "
            "FILE.urdf, FILE.urdf:BASE:TIP.",
        ),
    ] = None,
    random_robots: Annotated[
        bool, typer.Option("--random-robots", help="A new random 6 or 7 joint arm each problem.")
    ] = False,
    vary: Annotated[
        float, typer.Option(help="With --robots: vary their lengths by up to this share, 0.4.")
    ] = 0.0,
    minutes: shared.Minutes = 40.0,
    steps: shared.Steps = None,
    device: shared.Device = "auto",
    generator: Annotated[
        str, typer.Option(help="walk (joint by joint) or latent (all at once, as the papers).")
    ] = "walk",
    hidden: Annotated[int, typer.Option(min=0, help="Width; 0 is 128 for walk, 32 else.")] = 0,
    components: Annotated[
        int, typer.Option(min=0, help="Of a mixture; 0 is 16 for walk, 8 else.")
    ] = 0,
    blocks: Annotated[int, typer.Option(min=1, help="Of two layers each; walk.")] = 2,
    memory: Annotated[
        int, typer.Option(min=1, help="Width of what tells the rest of an arm; walk.")
    ] = 64,
    sliding: Annotated[
        float, typer.Option(help="Share of random arms with a sliding joint; walk.")
    ] = 0.1,
    jitter: Annotated[
        float, typer.Option(min=0.0, help="Largest error to learn to make up for, rad; walk.")
    ] = 0.05,
    network: Annotated[
        str, typer.Option(help="egnn, or mpnn, gat, gcn, sage to compare; latent.")
    ] = "egnn",
    encoder_layers: Annotated[int, typer.Option(min=1, help="Of encoder and prior; latent.")] = 2,
    decoder_layers: Annotated[int, typer.Option(min=1, help="Of the decoder; latent.")] = 3,
    latents: Annotated[
        str, typer.Option(help="Of each node (as the paper), or of the arm; latent.")
    ] = "arm",
    latent: Annotated[int, typer.Option(min=1, help="Latent dimensions; latent.")] = 8,
    features: Annotated[
        str, typer.Option(help="full (with ranges of joints) or paper (classes only); latent.")
    ] = "full",
    start: Annotated[
        str,
        typer.Option(help="Where unknown points begin: middle (of ranges) or zero; latent."),
    ] = "middle",
    frame: Annotated[
        bool,
        typer.Option("--frame/--no-frame", help="See points in the base's axes, too; latent."),
    ] = True,
    hold_known: Annotated[
        bool, typer.Option("--hold-known/--move-known", help="Leave known points alone; latent.")
    ] = True,
    sigma: Annotated[
        float, typer.Option(help="Spread of points, share of the arm; latent.")
    ] = 0.03,
    known_weight: Annotated[
        float, typer.Option(help="Weight of known points, with --move-known; latent.")
    ] = 0.1,
    batch: Annotated[int, typer.Option(min=0, help="Problems a step; 0 by the device.")] = 0,
    learning_rate: shared.LearningRate = 2e-3,
    threads: shared.Threads = 0,
    compiled: shared.Compiled = False,
    bf16: shared.Bf16 = False,
    tf32: shared.Tf32 = False,
    half: shared.Half = False,
    evaluate_every: shared.EvaluateEvery = 120.0,
    output: shared.Output = None,
    resume: shared.Resume = False,
    start_from: shared.StartFrom = None,
    tensorboard: shared.TensorBoard = None,
    seed: shared.Seed = 0,
    as_json: shared.Json = False,
) -> None:
    """Train GGIK, one graph model for many arms.

    --robots alone trains on these arms; --random-robots, or --robots with --vary, for arms that
    the model never sees. Ctrl-C keeps the last checkpoint; --resume goes on from there.
    """
    from generative_ik_ros.learned.ggik.config import GENERATORS, WALK, GGIKConfig, WalkConfig

    if robots is None and not random_robots:
        raise InvalidArgumentError("give --robots NAMES, --random-robots, or both with --vary")
    if not 0.0 <= vary < 1.0:
        raise InvalidArgumentError(f"--vary must be from 0 to below 1, not {vary!r}")
    if robots is not None and random_robots and not vary:
        raise InvalidArgumentError("--robots with --random-robots needs --vary, such as 0.4")
    if not 0.0 <= sliding <= 1.0:
        raise InvalidArgumentError(f"--sliding must be from 0 to 1, not {sliding!r}")
    if generator not in GENERATORS:
        raise UnknownNameError("generator", generator, GENERATORS)
    chains = {_short(name): _chain(name) for name in _names(robots)}
    wanted = shared.chosen_device(device, threads, tf32)
    from generative_ik_ros.learned.checkpoint import user_weights
    from generative_ik_ros.learned.ggik.weights import load_model, model_path, purpose
    from generative_ik_ros.learned.training.distributed import local_device
    from generative_ik_ros.learned.training.ggik_data import Mixed, sources_for
    from generative_ik_ros.learned.training.ggik_tasks import ggik_task
    from generative_ik_ros.learned.training.options import TrainOptions
    from generative_ik_ros.robot.known import load_robot

    where = local_device(wanted)
    if generator == WALK:
        config = WalkConfig(hidden or 128, blocks, memory, components or 16)
    else:
        config = GGIKConfig(
            network=network,
            hidden=hidden or 32,
            encoder_layers=encoder_layers,
            decoder_layers=decoder_layers,
            latent=latent,
            components=components or 8,
            latents=latents,
            frame=frame,
            features=features,
            start=start,
            hold_known=hold_known,
            sigma=sigma,
            known_weight=known_weight,
        )
    weights = None
    if start_from is not None:
        start_with = load_model(start_from).model
        config, weights = start_with.config, start_with.state_dict()
    known = {} if vary or random_robots else {n: c.fingerprint for n, c in chains.items()}
    path = shared.check_output(output or model_path(user_weights(), known))
    walks = isinstance(config, WalkConfig)
    joints = _JOINTS if random_robots else ()
    source = Mixed(sources_for(chains, where, joints=joints, sliding=sliding * walks, vary=vary))
    measured = chains or {name: load_robot(name) for name in _MEASURED}
    options = TrainOptions(
        minutes=minutes,
        steps=steps,
        batch=batch or _BATCHES[walks, wanted],
        learning_rate=learning_rate,
        # The first bounds are hundreds of nats, and fall or jump by as much.
        patience=5.0 if walks else 1e3,
        evaluate_every=evaluate_every,
        seed=seed,
        half=half,
        tensorboard=tensorboard,
    )
    task = ggik_task(
        source,
        config,
        known,
        measured,
        where,
        seed=seed,
        compiled=compiled,
        bf16=bf16,
        jitter=jitter,
    )
    if weights is not None:
        task.model.load_state_dict(weights)
    data = _data_name(random_robots, vary, chains)
    shared.run(task, options, path, data, resume, as_json, purpose=purpose(known))


def _names(robots: str | None) -> list[str]:
    names = [name.strip() for name in (robots or "").split(",") if name.strip()]
    if robots is not None and not names:
        raise InvalidArgumentError("--robots names no robot")
    return names


def _short(name: str) -> str:
    """Return what a robot is called in the weights' file: no folders."""
    return name.rpartition("/")[2]


def _chain(name: str) -> "KinematicChain":
    """Return the chain of a robot of the package, or of FILE.urdf[:BASE:TIP]."""
    from pathlib import Path

    from generative_ik_ros.robot.chain import KinematicChain
    from generative_ik_ros.robot.known import load_robot

    file, *links = name.split(":")
    if not file.endswith(".urdf"):
        return load_robot(name)
    base, tip = (*(link or None for link in links), None, None)[:2]
    return KinematicChain.from_urdf(Path(file), base, tip)


def _data_name(random: bool, vary: float, chains: "dict[str, KinematicChain]") -> str:
    """Name what is trained on, so that --resume finds out when it is something else."""
    arms = [f"random {'/'.join(map(str, _JOINTS))}"] if random else []
    arms += [chain.fingerprint + (f" +-{vary:g}" if vary else "") for chain in chains.values()]
    return ", ".join(arms)
