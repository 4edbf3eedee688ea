"""How gunicorn serves the API, wherever it runs: `headwater up`, `headwater serve`, a container.

Belongs here: gunicorn's settings. Not here: the address, which is on the command line. Guarantee: no header of a client
changes what the app knows about the request, and no settings file in the working folder is read.
"""

from query_api.worker import PatientWorker

wsgi_app = "query_api.app:create_app()"
worker_class = PatientWorker
workers = 1
threads = 128  # 40 for streams (24 answers, 16 syncs), 64 that wait for an answer, the others for everything else
graceful_timeout = 5  # seconds
loglevel = "warning"
control_socket_disable = True
forwarded_allow_ips = ""  # otherwise any program on this machine could set the scheme, and the path by SCRIPT_NAME
sendfile = False  # it would block a thread while a client reads slowly
