"""The Celery app that workers run: `headwater worker` starts one.

Belongs here: the broker, and when a step leaves the queue. Not here: the work of a step. Guarantee: a step leaves the
queue only when it is done, so that another worker takes over if its worker dies; running it twice is harmless,
because a source has one live worker and finished work is not repeated.
"""

from dagster_celery.make_app import make_app
from dagster_celery.tasks import create_task

from headwater.settings import Settings
from pipelines.executors import celery_config, check

settings = Settings.from_env()
check(settings)
config = celery_config(settings)
app = make_app({"broker": config["broker"], "backend": config["backend"]})
# One at a time: a worker that had reserved a second step would keep it from an idle one.
app.conf.update(config["config_source"], worker_prefetch_multiplier=1)
execute_plan = create_task(app, acks_late=True, reject_on_worker_lost=True)
