"""The graph: a projection of the ledger in an embedded database, rebuilt whenever it is lost.

`base` says what a graph promises, `reference` keeps that promise in memory, `database` in a kuzu or ladybug file, and
`generations` looks after the files.  Nobody above this package sees a query.
"""
