"""The HTTP API.

Belongs here: routes, shapes of requests and responses, problems. Not here: the work itself (`headwater`).
Guarantee: a route parses, calls, serialises; no request needs a running Dagster.
"""
