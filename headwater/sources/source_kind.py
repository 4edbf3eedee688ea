"""Choosing the kind of source for an address.

Belongs here: asking every connector, and the name of the new source. Not here: what a connector recognises
(`Connector.guess`), creating the source (`headwater.administration.sources`). Guarantee: the same address gives
the same answer; a connector that fails at guessing costs only its own guess.
"""

import logging
import re
import unicodedata
from dataclasses import dataclass

from headwater.errors import InvalidConfigurationError
from headwater.sources.connector import connector_of, connectors
from headwater.sources.guesses import Address, Guess

_ODD = re.compile(r"[^a-z0-9]+")
_MAX_SLUG_CHARS = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class GuessedSource:
    """The kind for an address, its fields, and the other kinds that could read it."""

    kind: str
    guess: Guess
    others: tuple[str, ...]


def guess_source(address: Address, kind: str | None = None) -> GuessedSource:
    """Choose the kind of source for an address.

    Args:
        address: the address.
        kind: the kind, if the person named it; then only its fields are guessed.

    Raises:
        InvalidConfigurationError: no kind reads it, or there is no such kind.
    """
    if kind is not None:
        address_guess = connector_of(kind).guess(address) or _by_fields(kind, address)
        return GuessedSource(kind=kind, guess=address_guess, others=())
    guesses = {name: guess for name in connectors() if (guess := _guess(name, address)) is not None}
    ranked = sorted(guesses, key=lambda name: (-guesses[name].score, name))
    if not ranked:
        is_missing = address.path is not None and not address.path.exists()
        reason = "nothing is there" if is_missing else "no installed kind of source reads such an address"
        raise InvalidConfigurationError(
            f"{address.text} cannot be read: {reason}. Check it, or name the kind and its fields;"
            f" the kinds are {', '.join(sorted(connectors()))}."
        )
    return GuessedSource(kind=ranked[0], guess=guesses[ranked[0]], others=tuple(ranked[1:]))


def slug_of(text: str, otherwise: str = "source") -> str:
    """A slug from any text: letters and digits, the rest as hyphens; `otherwise` if nothing of it is left."""
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode().lower()
    return _ODD.sub("-", plain).strip("-")[:_MAX_SLUG_CHARS].strip("-") or otherwise


def _guess(kind: str, address: Address) -> Guess | None:
    try:
        return connector_of(kind).guess(address)
    except (OSError, ValueError, InvalidConfigurationError) as error:
        logging.getLogger(__name__).warning("Kind %s could not guess: %s", kind, error)
        return None


def _by_fields(kind: str, address: Address) -> Guess:
    """The address in the field of the kind that fits it best; checking the config says if it does not."""
    field_order = ("path", "folder", "file") if address.path else ("url", "git", "address", "project", "repository")
    fields = connector_of(kind).Config.model_fields
    name = next((name for name in field_order if name in fields), field_order[0])
    value = str(address.path) if address.path else address.text
    return Guess(config={name: value}, words=f"a source of kind {kind}", score=1, slug=_slug_by(name, address))


def _slug_by(field: str, address: Address) -> str:
    """The name of a file, of a project on any server, or else of the server."""
    if address.path is not None or address.url is None:
        return address.path.stem if address.path else ""
    project = address.url.path.strip("/").partition("/")[0] if field == "project" else ""
    return project or str(address.url.hostname or "")
