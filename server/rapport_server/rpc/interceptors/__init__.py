"""One interceptor per file; `server` puts them in order."""
