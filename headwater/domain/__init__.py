"""The domain objects of Headwater, all frozen, and the settings of a knowledge base.

Belongs here: what one concept is, with its fields. Not here: how any of them is made or stored. Guarantee: nothing here
does input or output; it imports only `headwater.errors` and libraries of types.
"""
