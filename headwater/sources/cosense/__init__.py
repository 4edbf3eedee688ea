"""Cosense (Scrapbox): the pages of a project.

Belongs here: the kind `cosense`. Not here: the notation (`headwater.parsing.cosense`).
"""
