"""What only some dialects of markdown have, rewritten line by line before tags are read.

Belongs here: the order of these rewritings. Not here: the rewritings (`fence_directives`, `hexo_tags`, `docc`,
`definition_lists`). Guarantee: as theirs.
"""

from headwater.parsing.markdown.definition_lists import definitions_as_items, without_indents
from headwater.parsing.markdown.docc import plain_docc
from headwater.parsing.markdown.edits import Edits
from headwater.parsing.markdown.fence_directives import plain_directives
from headwater.parsing.markdown.hexo_tags import quotations_as_markdown


def rewrite_dialects(text: str, edits: Edits, *, is_mdx: bool) -> str:
    """A text in the markdown that all dialects share.

    Args:
        text: markdown or MDX without front matter.
        edits: records what is replaced.
        is_mdx: whether it is MDX, which has braces for scripts.
    """
    if not is_mdx:
        text = plain_docc(quotations_as_markdown(plain_directives(text, edits), edits), edits)
    return definitions_as_items(without_indents(text, edits), edits)
