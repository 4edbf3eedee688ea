"""Texinfo sources, of which manuals of GNU are made (SRC-4).

Belongs here: reading their text. Not here: the Info files that makeinfo makes of them (`info`).
"""
