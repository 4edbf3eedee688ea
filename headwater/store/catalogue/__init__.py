"""Knowledge bases and their sources: what people set up and delete.

Belongs here: these tables. Not here: what is read from sources. Guarantee: what is deleted is out of sight at once.
"""
