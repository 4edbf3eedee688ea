"""What models are told: one text file per task, and reading them.

Belongs here: the prompts, their versions, marking text from outside as data. Not here: calling models
(`headwater.models_gateway`), what is done with replies. Guarantee: a value that is put into a prompt cannot end the
block of data that it stands in.
"""
