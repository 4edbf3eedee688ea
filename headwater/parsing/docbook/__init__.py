"""DocBook: manuals and manual pages in XML (SRC-4).

Belongs here: reading its elements and entities. Not here: pages in HTML (`headwater.parsing.html`). Guarantee: no other
file is included.
"""
