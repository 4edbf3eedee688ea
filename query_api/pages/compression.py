"""Pages, scripts and styles are sent compressed to browsers that ask for it (UI-1).

Belongs here: which responses are compressed. Not here: compressing (Flask-Compress). Guarantee: streams are sent as
they are made; responses of the API stay as they are, because programs on the same machine gain nothing from it.
"""

from flask import Flask, Response, request
from flask_compress import Compress

_SETTINGS = {
    "COMPRESS_ALGORITHM": ["br", "gzip"],  # browsers ask for Brotli only over https, and on this machine
    "COMPRESS_REGISTER": False,
    "COMPRESS_STREAMS": False,
}


def install(app: Flask, blueprints: frozenset[str]) -> None:
    """Compress the responses of some blueprints of an app, by their names."""
    app.config.update(_SETTINGS)
    compress = Compress(app)

    def compressed(response: Response) -> Response:
        return compress.after_request(response) if request.blueprint in blueprints else response

    app.after_request(compressed)
