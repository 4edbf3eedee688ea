"""Info files, which makeinfo makes of Texinfo manuals (SRC-4).

Belongs here: reading their text. Not here: running makeinfo; the Texinfo source is another format.
"""
