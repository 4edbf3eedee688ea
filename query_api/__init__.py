"""Who asks: the HTTP API.

Belongs here: routes, shapes of requests and responses, problems. Not here: how anything is done (`headwater`).
Guarantee: a route parses, calls, serialises; no request needs Dagster to be up.
"""
