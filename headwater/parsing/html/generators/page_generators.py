"""Every program whose pages are restored.

Belongs here: the list of them. Not here: what is restored (their modules). Guarantee: each looks at a page for its own
sign first, so that other pages cost no more than that.
"""

from typing import Any

from headwater.parsing.html.generators.docbook_pages import restore_docbook_pages
from headwater.parsing.html.generators.doxygen import restore_doxygen
from headwater.parsing.html.generators.erlang import restore_erlang
from headwater.parsing.html.generators.exim import restore_exim
from headwater.parsing.html.generators.fpdoc import restore_fpdoc
from headwater.parsing.html.generators.gi_docgen import restore_gi_docgen
from headwater.parsing.html.generators.gtk_doc import restore_gtk_doc
from headwater.parsing.html.generators.haddock import restore_haddock
from headwater.parsing.html.generators.javadoc import restore_javadoc
from headwater.parsing.html.generators.javadoc_6 import restore_javadoc_6
from headwater.parsing.html.generators.libreoffice import restore_libreoffice
from headwater.parsing.html.generators.mdbook import restore_mdbook
from headwater.parsing.html.generators.nodejs import restore_nodejs
from headwater.parsing.html.generators.qdoc import restore_qdoc
from headwater.parsing.html.generators.rustdoc import restore_rustdoc
from headwater.parsing.html.generators.scaladoc import restore_scaladoc
from headwater.parsing.html.generators.sqlite import restore_sqlite
from headwater.parsing.html.generators.texinfo import restore_texinfo
from headwater.parsing.html.generators.vim_help import restore_vim_help
from headwater.parsing.html.generators.yodl import restore_yodl
from headwater.parsing.html.tex_formulas import restore_formulas

_RESTORERS = (
    restore_docbook_pages,
    restore_doxygen,
    restore_erlang,
    restore_exim,
    restore_fpdoc,
    restore_gi_docgen,
    restore_gtk_doc,
    restore_haddock,
    restore_javadoc,
    restore_javadoc_6,
    restore_libreoffice,
    restore_mdbook,
    restore_nodejs,
    restore_qdoc,
    restore_rustdoc,
    restore_scaladoc,
    restore_sqlite,
    restore_texinfo,
    restore_vim_help,
    restore_yodl,
    restore_formulas,
)


def restore_generated(tree: Any) -> None:
    """Give a page that a program made the elements of HTML for what it shows.

    Args:
        tree: the page; it is changed.
    """
    for restore in _RESTORERS:
        restore(tree)
