"""The processes that `headwater up`, `serve` and `worker` run, and the door to a running one.

Belongs here: starting, watching and stopping them. Not here: what they do. Guarantee: what was started here is gone
when its supervisor is.
"""
