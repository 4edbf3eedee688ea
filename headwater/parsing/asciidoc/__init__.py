"""AsciiDoc, rendered to markdown.

Belongs here: its blocks, tables and inline markup. Not here: telling that a file is AsciiDoc
(`headwater.parsing.text_structure`). Guarantee: no file is included, nothing raw is kept; unknown markup leaves its
words; the work is linear in the text.

Our own, because the readers in Python write HTML or DocBook only, and run what a file names.
"""
