"""An exam with a real model: questions with machine-checkable truth, asked of Headwater and of a plain script.

Belongs here: the questions, the variants that answer them, their marks, the table. Not here: other benches. Guarantee:
nothing outside its home folder and its file of results is written; no model is downloaded.
"""
