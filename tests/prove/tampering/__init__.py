"""What an operator who holds the key can try, and who finds it."""
