"""Training of the answer reader: the adapter that makes the built-in cross-encoder say whether a window answers."""
