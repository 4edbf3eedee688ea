"""The app that gunicorn serves.

Belongs here: creating it from the environment. Not here: how it is made (`query_api.app`), how it is served
(`gunicorn_settings`). Guarantee: it has neither threads nor connections, so a process that imports it may be forked.

`headwater up` imports it before it forks: making the app touches 12 MB that each process would then have for itself.
"""

from query_api.app import create_app

app = create_app()
