"""One servicer per service: each method validates, converts, calls one command and converts back."""
