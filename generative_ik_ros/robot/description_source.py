"""Reading files and text of robot descriptions; XML is bounded, without entities."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser
from xml.parsers import expat

from generative_ik_ros.errors import InvalidArgumentError, RobotDescriptionError, short, shown


@dataclass(frozen=True)
class ReadLimits:
    """What a description may be at most."""

    max_bytes: int = 16 * 2**20
    """Bytes."""
    max_elements: int = 200_000
    """Elements."""
    max_depth: int = 64
    """Elements inside each other."""
    max_prefixes: int = 100
    """Namespace prefixes of extensions that are not declared."""
    max_name: int = 1000
    """Characters in a name."""
    max_uri: int = 4096
    """Characters in the address of a mesh."""
    max_loops: int = 100
    """Closed loops, and couplings of joints."""
    max_magnitude: float = 1e6
    """Larger numbers in a robot's kinematics, in [m] or [rad], are taken for mistakes."""
    max_parts: int = 10_000
    """Groups in an SRDF, and members in a group."""


LIMITS = ReadLimits()


_UNREAD = "gazebo", "transmission", "ros2_control"
"""Elements in which nothing is looked for."""
_WITHOUT_EFFECT = "property", "arg", "macro"
"""Elements of xacro that expand to nothing by themselves."""
_DECLARATION = re.compile(r"\sxmlns:([\w.-]+)\s*=")
_PREFIX = re.compile(r"[<\s]([A-Za-z_][\w.-]*):[A-Za-z_][\w.-]*(?=[\s=/>])", re.ASCII)
"""The prefix of an element's or attribute's name."""
_BLANK = "\ufeff \t\r\n"
_URDF = {"robot": "URDF or SRDF"}


def read_source(
    source: str | PathLike[str], xacro_args: Mapping[str, str] | None = None
) -> str | bytes:
    """Return text as it is, the bytes of the file that a path names, or what xacro makes of it.

    Args:
        source: Text (its first character that is not white space is "<") or a path.
        xacro_args: Arguments for a xacro file, which is one whose name ends with ".xacro".

    Raises:
        RobotDescriptionError: There is no such file, it cannot be read, or it is too large.
        MissingDependencyError: It is a xacro file, and xacro is not installed.
        InvalidArgumentError: There are arguments, but it is no xacro file.
    """
    if isinstance(source, str):
        if not source.strip(_BLANK):
            raise RobotDescriptionError("the robot description is empty")
        if source.lstrip(_BLANK).startswith("<"):
            _check_no_arguments(xacro_args, "text")
            return source
        if "\n" in source or len(source) > 4096:
            raise RobotDescriptionError(
                "the robot description is neither XML (it does not start with '<') nor a "
                f"path; it starts with {quoted(source)}"
            )
    try:
        path = Path(source)
    except TypeError:
        raise RobotDescriptionError(
            "a robot description is a path, or the text of a URDF, SDF or MJCF, not "
            f"{type(source).__name__}"
        ) from None
    data = _read_file(path)
    if path.name.endswith(".xacro"):
        from generative_ik_ros.robot.xacro_files import expanded

        return expanded(path, xacro_args or {})
    _check_no_arguments(xacro_args, str(path))
    return data


def _check_no_arguments(xacro_args: Mapping[str, str] | None, what: str) -> None:
    if not isinstance(xacro_args, Mapping | None) or xacro_args:
        raise InvalidArgumentError(
            f"xacro_args is for files whose names end with .xacro, not for {short(what)}"
        )


def _read_file(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise RobotDescriptionError(f"{path} is a directory, not a robot description")
        if path.exists() and not path.is_file():
            raise RobotDescriptionError(f"{path} is not a regular file")
        with path.open("rb") as file:
            data = file.read(LIMITS.max_bytes + 1)
    except FileNotFoundError:
        raise RobotDescriptionError(
            f"there is no file {path} (a description given as text starts with '<')"
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise RobotDescriptionError(f"cannot read {quoted(str(path))}: {reason}") from None
    if not data.strip():
        raise RobotDescriptionError(f"{path} is empty")
    return data


def safe_tree(text: str | bytes, roots: Mapping[str, str] = _URDF) -> Element:
    """Parse XML text without trusting it, and return its root.

    Elements of other namespaces (simulator and control extensions) are left out, also those of
    prefixes that are not declared, and those of the root's own namespace lose it, so that the
    result can be searched by plain names.

    Args:
        text: The document; no file or address that it names is ever opened.
        roots: Names that the root may have, and of which format each is.

    Raises:
        RobotDescriptionError: The text is empty, too large, no XML, too deep, has too many
            elements, declares a DOCTYPE or entities, is unexpanded xacro, or of another format.
    """
    if not isinstance(text, str | bytes):
        raise RobotDescriptionError(f"a robot description is a text, not {shown(text)}")
    if not text.strip():
        raise RobotDescriptionError("the robot description is empty")
    if len(text) > LIMITS.max_bytes:
        raise RobotDescriptionError(
            f"the robot description is larger than {LIMITS.max_bytes // 2**20} MiB"
        )
    # XML wants its declaration first; URDF published by tools often has a blank line before it.
    text = text.lstrip(_BLANK) if isinstance(text, str) else text.lstrip(_BLANK[1:].encode())

    try:
        try:
            root = parse_xml(text, _BoundedTreeBuilder())
        except ParseError as error:
            try:
                root = parse_xml(_with_prefixes(_without_comments(text)), _BoundedTreeBuilder())
            except ParseError:
                raise error from None
    except (ParseError, ValueError, LookupError) as error:
        if isinstance(error, RobotDescriptionError):
            raise
        raise RobotDescriptionError(
            f"the robot description is not XML: {short(str(error), 120)}"
        ) from None
    namespace, name = _split(root.tag)
    if name not in roots:
        raise RobotDescriptionError(
            f"the root element is <{short(name)}>; it must be "
            + " or ".join(f"<{root}> ({kind})" for root, kind in roots.items())
        )
    _keep_own(root, namespace)
    return root


def parse_xml(text: str | bytes, builder: TreeBuilder | None = None) -> Element:
    """Parse XML that declares no DOCTYPE, without which there are no entities to expand or open.

    Args:
        text: The document.
        builder: Builds the tree; None: all of it.

    Raises:
        RobotDescriptionError: There is a DOCTYPE.
        ParseError: This is no XML.
    """
    declarations = expat.ParserCreate()
    declarations.StartDoctypeDeclHandler = _refuse_doctype
    with suppress(expat.ExpatError):  # which the other parser comes to as well
        declarations.Parse(text, True)  # noqa: FBT003 (it takes no keyword)
    parser = XMLParser(target=builder or TreeBuilder())
    parser.feed(text)
    return parser.close()


def _refuse_doctype(*_: object) -> NoReturn:
    raise RobotDescriptionError(
        "the robot description declares a DOCTYPE or entities; they are refused"
    )


def _keep_own(root: Element, namespace: str) -> None:
    """Drop all elements that are neither in `namespace` nor in none, and drop the namespace."""
    todo = [root]
    while todo:
        element = todo.pop()
        element.tag = _split(element.tag)[1]
        if element.tag in _UNREAD:
            continue
        own = []
        for child in element:
            child_namespace, name = _split(child.tag)
            if "xacro" in child_namespace and name not in _WITHOUT_EFFECT:
                raise RobotDescriptionError(
                    f"the robot description holds <xacro:{short(name)}>: it is unexpanded xacro; "
                    "give the file a name that ends with .xacro, or expand it first, with "
                    "'xacro robot.urdf.xacro > robot.urdf'"
                )
            if child_namespace in ("", namespace):
                own.append(child)
        element[:] = own
        todo.extend(own)


def _with_prefixes(text: str | bytes) -> str | bytes:
    """Declare the namespace prefixes of a document that it does not declare itself.

    Descriptions that were written for tools that do not mind have some in extensions.
    """
    if isinstance(text, bytes):  # Latin-1 has a character for each byte
        return str(_with_prefixes(text.decode("latin-1"))).encode("latin-1")
    declared = {"xml", "xmlns", *_DECLARATION.findall(text)}
    added = sorted(set(_PREFIX.findall(text)) - declared)[: LIMITS.max_prefixes]
    words = "".join(f' xmlns:{prefix}="undeclared:{prefix}"' for prefix in added)
    return re.sub(r"<(robot|sdf|mujoco)(?=[\s/>])", rf"<\1{words}", text, count=1)


def _without_comments(text: str | bytes) -> str | bytes:
    """Return a document without its comments.

    Those of descriptions hold dashes, or stand before the XML declaration; ROS and Gazebo do not
    mind either.
    """
    if isinstance(text, bytes):
        return str(_without_comments(text.decode("latin-1"))).encode("latin-1")
    kept, done = [], 0
    while (start := text.find("<!--", done)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[done:start])
        done = end + 3
    return "".join((*kept, text[done:])).lstrip(_BLANK[1:])


def _split(tag: str) -> tuple[str, str]:
    namespace, _, name = tag.rpartition("}")
    return namespace.lstrip("{"), name


def quoted(text: str) -> str:
    """Quote a text for an error message, cut to 40 characters."""
    return repr(short(text, 40))


class _BoundedTreeBuilder(TreeBuilder):
    """Builds the tree, and stops at a document that is too deep or has too many elements."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = self._elements = 0

    def start(self, tag: str, attrs: dict) -> Element:  # pyright: ignore[reportIncompatibleMethodOverride]
        self._depth += 1
        self._elements += 1
        if self._depth > LIMITS.max_depth:
            raise RobotDescriptionError(
                f"the XML is nested deeper than {LIMITS.max_depth} elements"
            )
        if self._elements > LIMITS.max_elements:
            raise RobotDescriptionError(f"the XML has more than {LIMITS.max_elements} elements")
        return super().start(tag, attrs)

    def end(self, tag: str) -> Element:  # pyright: ignore[reportIncompatibleMethodOverride]
        self._depth -= 1
        return super().end(tag)
