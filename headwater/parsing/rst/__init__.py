"""Reading reStructuredText.

Belongs here: docutils with safe settings, Sphinx's roles and directives, writing markdown. Not here: other formats.
Guarantee: no other file is read.
"""
