"""Headwater's software-defined assets.

Belongs here: assets, their partitions, checks and resources; each reads, calls the kernel, writes, reports. Not here:
when they run (`pipelines`). Guarantee: an asset's key is the name of the table it fills.
"""
