"""The processes that `headwater up`, `serve` and `worker` run, and access to a running `up`.

Belongs here: starting, watching and stopping them. Not here: their work. Guarantee: when the supervisor has ended,
every process that it started has ended.
"""
