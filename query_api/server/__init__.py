"""The HTTP server: gunicorn's threaded worker, and what reads requests and writes responses beneath it.

Belongs here: connections of clients, refusals before a route sees a request, logs without keys. Not here: what a route
may do (`query_api.guards.request_checks`). Guarantee: nothing here knows a route.
"""
