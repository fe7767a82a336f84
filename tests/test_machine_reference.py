"""The whole memory on the graph in memory lives as the model does."""

import pytest
from machine_run import run


def test_a_random_life_is_as_the_model_says():
    run("reference", examples=30, steps=25)


@pytest.mark.long
def test_many_long_lives_are_as_the_model_says():
    run("reference", examples=5000, steps=50, fresh=True)
