"""What is done and asked: syncs, their workers, answers, evaluations, and tidying up.

Belongs here: these tables. Not here: what a sync makes. Guarantee: whatever is killed can be taken up again.
"""
