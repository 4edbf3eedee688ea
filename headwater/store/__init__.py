"""Postgres access, by methods named after their purpose.

Belongs here: every query and the code that runs it. Not here: deciding what to store. Guarantee: nothing outside
this package imports psycopg; what readers see changes in one transaction.
"""
