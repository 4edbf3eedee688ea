"""Bytes into text with positions.

Belongs here: decoding and the formats' own rules. Not here: where bytes come from (`sources`), chunks. Guarantee:
what cannot be read raises `DocumentError`, which concerns one document only.
"""
