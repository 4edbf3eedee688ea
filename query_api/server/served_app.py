"""The app that gunicorn serves.

Belongs here: making it once, with the settings of the environment. Not here: how it is made (`query_api.app`), how it
is served (`gunicorn_settings`). Guarantee: it has neither threads nor connections, so a process that has made it may
be forked.

`headwater up` makes it before it forks: making the app touches 12 MB that each process would then have for itself.
"""

from functools import lru_cache

from flask_openapi3.openapi import OpenAPI

from headwater.settings import Settings
from query_api.app import create_app


def load_app() -> OpenAPI:
    """The app with the settings of the environment; made again only if these have changed."""
    return _make_app(Settings.from_env())


@lru_cache(maxsize=1)
def _make_app(settings: Settings) -> OpenAPI:
    return create_app(settings)
