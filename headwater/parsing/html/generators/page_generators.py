"""Every program whose pages are restored.

Belongs here: the list of them. Not here: what is restored (their modules). Guarantee: each looks at a page for its own
sign first, so that other pages cost no more than that.
"""

from typing import Any

from headwater.parsing.html.generators.doxygen import restore_doxygen
from headwater.parsing.html.generators.haddock import restore_haddock
from headwater.parsing.html.generators.javadoc import restore_javadoc
from headwater.parsing.html.generators.javadoc_6 import restore_javadoc_6
from headwater.parsing.html.generators.mdbook import restore_mdbook
from headwater.parsing.html.generators.rustdoc import restore_rustdoc
from headwater.parsing.html.generators.scaladoc import restore_scaladoc

_RESTORERS = (
    restore_doxygen, restore_haddock, restore_javadoc, restore_javadoc_6, restore_mdbook, restore_rustdoc,
    restore_scaladoc,
)  # fmt: skip


def restore_generated(tree: Any) -> None:
    """Give a page that a program made the elements of HTML for what it shows.

    Args:
        tree: the page; it is changed.
    """
    for restore in _RESTORERS:
        restore(tree)
