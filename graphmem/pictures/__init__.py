"""Pictures of a memory: what held when, and what stands around one statement.

Invariant: what is to be drawn is planned by pure functions (`lanes`, `surroundings`); drawing decides about ink only.  The
same memory gives the same picture, byte for byte.
"""
