"""Personal data in a text: secrets, which are never stored; identifiers and special categories, which are marked.

`masks` is the way in for secrets, `identifiers` and `categories` for the rest.

Invariant: nothing here keeps, prints or raises what it finds; a finding is a kind and a place.
"""
