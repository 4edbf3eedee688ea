"""Postgres itself: its address, connections, the embedded server, migrations, backup and its health.

Belongs here: everything that any application needs from its database. Not here: Headwater's own rows, except dumping
and restoring them as a whole. Guarantee: nothing here knows the meaning of a row.
"""
