"""Between the domain's objects and the messages of the contract, one module per noun."""
