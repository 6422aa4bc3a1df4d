"""The list of tamperings: a name in plain words, the moment, what is done, and what cannot be found by whom."""

from dataclasses import dataclass, field
from typing import Callable

from tampering.attack import Attack
from tampering.readers import CHECKPOINT, KEY, NOTHING


@dataclass
class Told:
    """A verdict of something else than `verify`, the same for every reader."""

    found: bool
    words: str


@dataclass
class Tampering:
    name: str
    moment: str
    do: Callable[[Attack], Told | None]
    point: str = ""  # the point of the list of attacks that names it
    hidden: dict[str, str] = field(default_factory=dict)  # readers who cannot find it, and why
    honest: bool = False  # nothing is wrong, and nobody may say so
    level: str = ""  # how an honest one is called by who brought key and root
    bundled: bool = False  # looked at as a bundle as well
    paged: bool = True  # whether the browser's page can be shown the same


ALL: list[Tampering] = []

REWRITTEN = "the key signs any history; only somebody who kept a checkpoint can know of another one"
OWN_CLOCK = "stamps of the operator's own authority; the verdict names it and is one step below PROVED"
NEVER_SEEN = "it happened before anything was published, and nothing in the folder speaks of it"


def tampering(name: str, moment: str, point: str = "", **more):
    def add(do: Callable[[Attack], Told | None]):
        ALL.append(Tampering(name, moment, do, point, **more))
        return do
    return add


def nobody(why: str) -> dict[str, str]:
    return {NOTHING: why, KEY: why, CHECKPOINT: why}


def without_checkpoint(why: str = REWRITTEN) -> dict[str, str]:
    return {NOTHING: why, KEY: why}


def without_root(why: str = OWN_CLOCK) -> dict[str, str]:
    return {NOTHING: why}
