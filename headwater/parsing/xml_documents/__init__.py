"""Documents in XML of other kinds than DocBook: DITA, Mallard, JATS, RFCs, laws, and sites that are written so (SRC-4).

Belongs here: the names of their elements, and reading them. Not here: DocBook (`headwater.parsing.docbook`), XML that
is data, which is read as code. Guarantee: no other file is included.
"""
