"""Postgres itself: its address, connections, the embedded server, migrations, backup and its health.

Belongs here: what any application would need of its database. Not here: Headwater's own rows, except for dumping and
restoring them whole. Guarantee: nothing here knows what a row means.
"""
