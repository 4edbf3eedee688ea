"""POD, the documentation of Perl (SRC-4).

Belongs here: reading its text. Not here: the code around it.
"""
