"""The nouns of Headwater as frozen value objects, and what a knowledge base decides for itself.

Belongs here: what one concept is, with its fields. Not here: how any of it is made or stored. Guarantee: nothing here
does input or output, and nothing but `headwater.errors` and the libraries of types is imported.
"""
