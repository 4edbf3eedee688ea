"""Putting the pages into the app.

Belongs here: the list of pages. Not here: the pages. Guarantee: pages are not part of the OpenAPI document.
"""

from flask import Flask

from query_api.pages import (
    access,
    bots,
    chat,
    compression,
    contents,
    documentation,
    documents,
    edit_source,
    error_pages,
    home,
    language,
    lineage,
    login,
    new_source,
    page_pictures,
    palette,
    passages,
    search,
    settings,
    source,
    sources,
    static_files,
    status,
    widgets,
)

_PAGES = (
    static_files,
    home,
    sources,
    chat,
    search,
    passages,
    page_pictures,
    source,
    new_source,
    edit_source,
    login,
    access,
    bots,
    documents,
    contents,
    language,
    lineage,
    status,
    widgets,
    settings,
    palette,
    documentation,
)  # fmt: skip
"""A module per page, with its `routes`."""


def install(app: Flask) -> None:
    """Add every page to an app, compressed, and make its errors pages for browsers."""
    error_pages.install(app)
    for module in _PAGES:
        app.register_blueprint(module.routes)
    compression.install(app, frozenset(module.routes.name for module in _PAGES))
