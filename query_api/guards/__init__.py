"""What stands before every route: hosts, authentication, scopes, visibility, rates, form (SEC-1, API-6).

Belongs here: checks of a request that hold for all routes. Not here: routes, the server (`query_api.server`).
Guarantee: without a word about it, a route needs the scope of administrators.
"""
