"""Who may do what, in Postgres: keys, sessions, rate limits, and the audit.

Belongs here: their tables. Not here: what a caller may do (`headwater.administration`, `query_api.guards.hosts`).
Guarantee: no secret is stored, only hashes.
"""
