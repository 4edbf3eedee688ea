"""The Celery app that workers run: `headwater worker` starts one.

Belongs here: the broker, and when a step counts as taken. Not here: what a step does. Guarantee: a step is off the
queue once it is done, so that of a worker that dies is taken up by another; doing it twice does no harm, since a
source has one live worker and what is done is not done again.
"""

from dagster_celery.make_app import make_app
from dagster_celery.tasks import create_task

from headwater.settings import Settings
from pipelines.executors import celery_config, check

settings = Settings.from_env()
check(settings)
config = celery_config(settings)
app = make_app({"broker": config["broker"], "backend": config["backend"]})
# One at a time: a worker that held a second step back would keep it from an idle one.
app.conf.update(config["config_source"], worker_prefetch_multiplier=1)
execute_plan = create_task(app, acks_late=True, reject_on_worker_lost=True)
