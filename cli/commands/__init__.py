"""The `headwater` commands, one module for each, by its name.

Belongs here: reading options, calling the kernel, showing the result. Not here: long-running processes
(`cli.processes`), backup files (`cli.backup`), texts that commands share (`cli.result_texts`). Guarantee: each prints
one JSON document with `--json`; what is slow to import is imported when the command runs.
"""
