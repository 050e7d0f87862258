"""Generated from proto/rapport/v1 by `make generate`; not edited by hand."""
