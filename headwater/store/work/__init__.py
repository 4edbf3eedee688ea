"""Syncs, their workers, answers, evaluations, and housekeeping.

Belongs here: these tables. Not here: the results of a sync. Guarantee: killed work can be resumed.
"""
