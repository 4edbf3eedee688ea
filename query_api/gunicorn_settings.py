"""How gunicorn serves the API, wherever it runs: `headwater up`, `headwater serve`, a container.

Belongs here: gunicorn's settings. Not here: the address, which the command line knows. Guarantee: no header of a client
changes what the app is told of the request, and no file of the folder one happens to be in is read for settings.
"""

from query_api.worker import PatientWorker

wsgi_app = "query_api.app:create_app()"
worker_class = PatientWorker
workers = 1
threads = 32  # more than the streams and syncs that one machine serves at once
graceful_timeout = 5  # seconds
loglevel = "warning"
control_socket_disable = True
forwarded_allow_ips = ""  # else any program of this machine sets the scheme, and the path by SCRIPT_NAME
sendfile = False  # it would wait in a thread for a client that reads slowly
