"""Backup of a home and its databases into one file, and restore.

Belongs here: the file, its manifest, reading it safely. Not here: dumping and loading rows (`headwater.store.server`).
Guarantee: a backup is consistent; nothing in a file is trusted before it is checked.
"""
