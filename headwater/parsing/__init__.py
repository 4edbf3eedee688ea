"""Turning bytes into text with positions.

Belongs here: decoding and the rules of formats. Not here: where bytes come from (`sources`), chunks. Guarantee:
bytes that cannot be read raise `DocumentError`, which affects only that document.
"""
