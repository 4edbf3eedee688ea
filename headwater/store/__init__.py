"""Postgres, by methods that reveal intention.

Belongs here: every query and everything that runs one. Not here: deciding what to store. Guarantee: nothing outside
this package imports psycopg; what readers see changes in one transaction.
"""
