"""Who runs it: the console script `headwater`.

Belongs here: commands, their output, and the processes of `headwater up`. Not here: anything a command does.
Guarantee: nothing heavy is imported before the command that needs it runs.
"""
