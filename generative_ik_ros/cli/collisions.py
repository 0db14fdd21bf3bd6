"""Options for collision checks, and the robot's geometry and the scene that they choose."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from generative_ik_ros.cli.chains import described
from generative_ik_ros.cli.options import MaybeNumber, MaybePath, MaybeTexts, parse_positions
from generative_ik_ros.errors import InvalidArgumentError, RobotDescriptionError

if TYPE_CHECKING:
    from generative_ik_ros.collision.model import CollisionModel
    from generative_ik_ros.collision.scene import Scene

SceneFile = Annotated[
    MaybePath,
    typer.Option(
        metavar="FILE",
        help="Obstacles: a MoveIt planning scene or a world of cuRobo, as YAML. "
        "Only free configurations are returned, as with --avoid-collisions.",
    ),
]
AvoidCollisions = Annotated[
    bool,
    typer.Option(
        "--avoid-collisions",
        help="Only configurations without collisions of the robot with itself or the --scene.",
    ),
]
Srdf = Annotated[
    MaybePath,
    typer.Option(
        metavar="FILE",
        help="SRDF with the pairs of links not to check. Default: pairs found by sampling.",
    ),
]
MeshDirs = Annotated[
    MaybeTexts,
    typer.Option(
        "--mesh-dir",
        "--mesh-folder",
        metavar="DIR",
        help="Folder of packages, or of one, for package:// addresses of meshes; may be repeated.",
    ),
]
Spheres = Annotated[
    MaybePath,
    typer.Option(
        metavar="FILE", help="cuRobo robot file: check its spheres instead of the URDF's shapes."
    ),
]
Visuals = Annotated[
    bool,
    typer.Option("--visuals", help="Check links without collision shapes by their visual ones."),
]
Padding = Annotated[
    MaybeNumber,
    typer.Option(help="Smallest accepted distance from obstacles, in metres. Default: 0."),
]

JointPositions = Annotated[
    MaybeTexts,
    typer.Option(
        "--joint-positions",
        metavar="NAME=Q,...",
        help="Positions of joints outside the chain (rad or m). Default: as near to 0 as they go.",
    ),
]


class CollisionOptions(NamedTuple):
    """What is checked for collisions, as the options above choose it."""

    scene: SceneFile = None
    avoid_collisions: AvoidCollisions = False
    joint_positions: JointPositions = None
    srdf: Srdf = None
    mesh_dir: MeshDirs = None
    spheres: Spheres = None
    visuals: Visuals = False
    padding: Padding = None

    @property
    def wanted(self) -> bool:
        """Whether collisions are to be checked."""
        return self.avoid_collisions or self.scene is not None

    def check(self, *, meshes_also_drawn: bool = False) -> None:
        """Refuse options that would have no effect; `--mesh-dir` has one if meshes are drawn."""
        if self.padding is not None and self.scene is None:
            raise InvalidArgumentError("--padding is a distance from --scene, which is not given")
        if self.wanted:
            return
        given = {
            "--srdf": self.srdf,
            "--spheres": self.spheres,
            "--joint-positions": self.joint_positions,
            "--visuals": self.visuals,
            "--mesh-dir": self.mesh_dir and not meshes_also_drawn,
        }
        for option, value in given.items():
            if value:
                raise InvalidArgumentError(
                    f"{option} is for collision checks: give --avoid-collisions or --scene too"
                )

    def model(self, robot: str | None, urdf: str | None) -> "CollisionModel | None":
        """Read the geometry of the robot of `--robot` or `--urdf`; None: nothing is checked."""
        if not self.wanted:
            return None
        from generative_ik_ros.collision.model import CollisionModel
        from generative_ik_ros.robot.known import known_robot

        srdf, folders = self.srdf, tuple(self.mesh_dir or ())
        if robot is None:
            description = described(urdf or "")
        else:
            known = known_robot(robot)
            description, folders = known.description(), (*folders, *known.package_dirs)
            own = known.urdf.with_suffix(".srdf")
            srdf = own if srdf is None and own.is_file() else srdf
        shapes = description.collisions or (self.visuals and description.visuals)
        if not shapes and self.spheres is None:
            raise RobotDescriptionError(
                f"'{description.name}' has no collision geometry: its description has no "
                "collision elements; --visuals takes its visual shapes, --spheres those of cuRobo"
            )
        try:
            return CollisionModel.from_urdf(
                description,
                srdf=srdf,
                package_dirs=folders,
                spheres=self.spheres,
                visuals=self.visuals,
                joint_positions=parse_positions("--joint-positions", self.joint_positions),
            )
        except (RobotDescriptionError, InvalidArgumentError) as error:
            text = str(error).replace("package_dirs=", "--mesh-dir")
            raise type(error)(text.replace("package_dirs:", "--mesh-dir:")) from None

    def read_scene(self) -> "Scene | None":
        """Read the scene; None: there is none."""
        if self.scene is None:
            return None
        from generative_ik_ros.collision.scene import Scene

        return Scene.from_yaml(
            self.scene, package_dirs=self.mesh_dir or (), padding=self.padding or 0.0
        )
