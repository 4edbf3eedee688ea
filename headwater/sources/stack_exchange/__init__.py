"""Questions and answers from a Stack Exchange data dump (SRC-9).

Belongs here: reading Posts.xml, choosing answers, writing a question with its answers. Not here: HTML
(`headwater.parsing.html`). Guarantee: memory does not grow with the dump, apart from the names of its documents; a row
that cannot be read does not affect others.
"""
