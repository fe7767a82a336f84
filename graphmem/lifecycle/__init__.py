"""What happens to a memory over time: forgetting, and later retention and consolidation."""
