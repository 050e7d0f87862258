"""What a request may hold: pure functions from messages to domain objects, every violation collected."""
