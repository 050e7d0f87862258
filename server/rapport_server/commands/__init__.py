"""One module per verb: each owns the order of its steps and its transactions."""
