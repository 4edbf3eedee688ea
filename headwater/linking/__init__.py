"""Links: which document or symbol the text of a document names.

Belongs here: turning links and mentions of a text into `Link`s with the names that they may mean. Not here: finding
them in a text (`headwater.chunking`), which of these names exist (`headwater.store.content.link_reader`). Guarantee:
pure; a name that the document does not determine has no target: nothing is guessed.
"""
