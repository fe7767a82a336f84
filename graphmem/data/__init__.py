"""Data files that ship with the package: tokenizer and example transcripts."""
