"""SQL databases: the rows of a query.

Belongs here: the kind `sql`. Not here: Headwater's own database (`headwater.store`). Guarantee: its sessions can only
read; the address of a database, with its password, is in the environment alone.
"""
