"""Running a parser in a process of its own (SEC-1).

Belongs here: starting it, talking to it, its limits. Not here: any parser. Guarantee: what a file makes its parser do
stays in that process.
"""
