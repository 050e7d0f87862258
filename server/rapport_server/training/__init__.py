"""The training room: what `rapport train-signals` runs; nothing of it is imported by the server."""
