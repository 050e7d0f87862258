"""The inference room: what a text says beyond its words; other people, and things to come back to."""

from rapport_server.inference.local import LocalMentions

__all__ = ["LocalMentions"]
