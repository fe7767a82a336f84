"""Recall: from a question to statements and turns that answer it, with the way that led to them."""
