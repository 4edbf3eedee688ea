"""Addresses of pages of Cosense.

Belongs here: a page's address, and links between pages. Not here: notation, fetching. Guarantee: pure; the link to a
page, resolved against the address of any other page of its project, is that page's address.
"""

from dataclasses import dataclass

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'")


@dataclass(frozen=True, kw_only=True, slots=True)
class Project:
    """A project, and the site where it is: `https://scrapbox.io`."""

    site: str
    name: str

    def page(self, title: str) -> str:
        """The address of a page: letters of any script as they are."""
        return f"{self.site}/{self.name}/{page_link(title)}"

    def elsewhere(self, path: str) -> str:
        """The address of `/project/page` or `/project`."""
        name, _, title = path.strip("/").partition("/")
        return f"{self.site}/{page_link(name)}/{page_link(title)}"


def page_link(title: str) -> str:
    """The link to a page from another one of its project."""
    path = "".join(map(_escape_character, title.strip().replace(" ", "_")))
    return path.replace(".", "%2E") if path in (".", "..") else path


def _escape_character(character: str) -> str:
    if character in _PLAIN or (not character.isascii() and character.isprintable()):
        return character
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))
