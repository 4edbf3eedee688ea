"""Bots for chat platforms: processes of their own over the HTTP API (INT-1).

Belongs here: receiving messages, asking the API, writing answers in the platform's dialect. Not here: the routes that
remember events (`query_api.routes.bots`), answers themselves. Guarantee: nothing here reads the database, Dagster or
Flask; of the kernel only errors, settings and domain objects are used.
"""
