"""`rapport demo`: a conversation over six weeks, played through the SDK against a running server."""
