"""LaTeX files (SRC-4).

Belongs here: reading the text that people write. Not here: running TeX: no macro is expanded and no file included.
"""
