"""The console script `headwater`.

Belongs here: commands, their output, and the processes of `headwater up`. Not here: the work that a command starts.
Guarantee: nothing heavy is imported before the command that needs it runs.
"""
