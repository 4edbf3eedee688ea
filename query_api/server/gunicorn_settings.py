"""How gunicorn serves the API, wherever it runs: `headwater up`, `headwater serve`, a container.

Belongs here: gunicorn's settings. Not here: the address, which is on the command line. Guarantee: no header of a client
changes what the app knows about the request, and no settings file in the working folder is read.
"""

import gc
import resource
import shutil
from typing import Any

from headwater.settings import metrics_folder, share_metrics
from headwater.temporary_folders import make_temporary_folder
from query_api.server.gunicorn_worker import GunicornWorker
from query_api.server.log_redaction import hide_keys_in_logs

wsgi_app = "query_api.server.served_app:load_app()"
worker_class = GunicornWorker
workers = 1
threads = 128  # 64 that wait for an answer, 24 for a reply that is passed on, 16 for open pages, 24 for all else
worker_connections = 4_096  # enough for 512 connections and all streams; the worker has limits of its own
graceful_timeout = 5  # seconds
loglevel = "warning"
control_socket_disable = True
forwarded_allow_ips = ""  # otherwise any program on this machine could set the scheme, and the path by SCRIPT_NAME
sendfile = False  # it would block a thread while a client reads slowly


def on_starting(_: Any) -> None:
    """Make the folder in which all workers count, before the first of them starts."""
    share_metrics(str(make_temporary_folder("metrics")))


def child_exit(_: Any, worker: Any) -> None:
    """Forget what a worker that ended says of the present."""
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid, metrics_folder())  # type: ignore[no-untyped-call]


def on_exit(_: Any) -> None:
    """Remove the folder."""
    shutil.rmtree(metrics_folder(), ignore_errors=True)


def post_worker_init(_: Any) -> None:
    """Keep secrets of keys out of this worker's log, and let it open a file for each of its connections.

    The garbage collector leaves alone what was loaded with the app: looking at all of it took 100 ms of some request.
    """
    hide_keys_in_logs()
    gc.collect()
    gc.freeze()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < worker_connections:
        most = worker_connections if hard < 0 else min(worker_connections, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
