"""Pages that programs made of source code or of a manual's source, as the elements that HTML has for what they show.

Belongs here: one module for each program whose pages say by their classes alone, or by scripts, what is a heading, a
declaration, a table or a menu. Not here: markdown (`blocks`), what is left out of any page (`page_frame`). Guarantee: a
page that none of them made stays as it is.
"""
