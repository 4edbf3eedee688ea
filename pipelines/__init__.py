"""The jobs, schedules and sensors over the assets.

Belongs here: what starts a run, and the definitions that Dagster loads. Not here: assets. Guarantee: importing it
imports no model and opens no connection.
"""
