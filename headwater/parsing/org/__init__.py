"""Org files of Emacs (SRC-4).

Belongs here: reading their outline and markup. Not here: schedules and tasks, which are text here.
"""
