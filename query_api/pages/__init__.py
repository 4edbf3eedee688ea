"""The pages that people open in a browser (UI-1 to UI-5).

Belongs here: one module per page, its templates, and what pages share: rendering, navigation, errors, static files. Not
here: the API's routes (`query_api.routes`), scripts and styles (`query_api/static`). Guarantee: a page works as a
document before any script runs; no page has a script or style of its own in its HTML.
"""
