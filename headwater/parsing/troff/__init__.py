"""Manual pages: man(7) and mdoc(7), rendered to markdown with headings.

Belongs here: the macros of both, the escapes of troff, tables of tbl. Not here: telling that a file is one
(`headwater.parsing.text_structure`). Guarantee: no file is included, no command runs; the work is linear in the text.
"""
