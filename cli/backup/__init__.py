"""A home and its databases in one file, and back.

Belongs here: the file, its manifest, reading it safely. Not here: dumping and loading rows (`headwater.store.server`).
Guarantee: a backup is one state; nothing of a file is trusted before it is looked at.
"""
