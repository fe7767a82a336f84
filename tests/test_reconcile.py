"""Reconciliation: the table of ontology (g) and architecture, case by case."""

from build import World, claim, day, interval


def test_same_words_in_two_sessions_are_one_statement_with_two_supports():
    world = World()
    world.say(1, claim("allergic_to", "peanuts"))
    plan = world.say(2, claim("allergic_to", "peanuts"))
    assert [o.what for o in plan.outcomes] == ["corroborated"]
    [statement] = world.statements()
    assert {e.session for e in statement.evidence} == {"s1", "s2"}
    assert statement.confidence > 0.8


def test_a_later_value_of_a_one_valued_relation_supersedes():
    world = World()
    world.say(1, claim("lives_in", "Ghent"))
    world.say(2, claim("lives_in", "Porto", cue="change", time=interval(100, None, "day")), on=120)
    old, new = world.by("Ghent"), world.by("Porto")
    assert (old.status, new.status) == ("superseded", "current")
    assert new.supersedes == (old.id,)
    assert old.superseded_by == (new.id,)
    assert old.valid_to == new.valid_from


def test_an_old_transcript_taken_in_late_does_not_win():
    world = World()
    world.say(1, claim("lives_in", "Cork", cue="change", time=interval(210, None, "day")), on=250)
    world.say(2, claim("lives_in", "Leipzig"), on=40)
    assert (world.status("Cork"), world.status("Leipzig")) == ("current", "superseded")


def test_a_dated_past_told_late_leaves_the_present_alone():
    world = World()
    world.say(1, claim("lives_in", "Linz"))
    world.say(2, claim("lives_in", "Graz", temporal="past", time=interval(-3000, -2000, "year")), on=60)
    assert (world.status("Linz"), world.status("Graz")) == ("current", "past")


def test_two_values_in_one_session_without_a_cue_contradict_and_both_stay():
    world = World()
    plan = world.say(1, claim("lives_in", "Oslo"), claim("lives_in", "Bergen"))
    assert [link.kind for link in plan.links] == ["CONTRADICTS"]
    assert world.status("Oslo") == world.status("Bergen") == "current"
    assert world.by("Oslo").contradicts == (world.by("Bergen").id,)


def test_a_change_cue_in_the_same_session_supersedes():
    world = World()
    world.say(1, claim("works_at", "Bosch"), claim("works_at", "Siemens", cue="change"))
    assert (world.status("Bosch"), world.status("Siemens")) == ("superseded", "current")


def test_two_birthdays_contradict_however_far_apart():
    world = World()
    world.say(1, claim("born_on", "12 March"))
    world.say(2, claim("born_on", "March 21"), on=300)
    assert world.by("12 March").contradicts


def test_a_year_and_a_day_of_birth_do_not_contradict():
    world = World()
    world.say(1, claim("born_on", "1985"))
    world.say(2, claim("born_on", "12 March"))
    assert not world.by("1985").contradicts


def test_a_correction_marks_the_old_value_as_never_true():
    world = World()
    world.say(1, claim("born_on", "1985"), claim("born_on", "1986", cue="correction", replaces="1985"))
    assert (world.status("1985"), world.status("1986")) == ("corrected", "current")
    assert world.by("1986").corrects == (world.by("1985").id,)
    assert not world.by("1986").contradicts


def test_a_denial_from_the_start_corrects():
    world = World()
    world.say(1, claim("works_at", "Nordea"))
    world.say(2, claim("works_at", "Nordea", polarity="negative", cue="correction"))
    assert [s.status for s in world.statements()] == ["corrected", "current"]


def test_ended_without_a_successor_closes_and_invents_nothing():
    world = World()
    world.say(1, claim("lives_in", "Malaga"))
    world.say(2, claim("lives_in", "Malaga", temporal="ended"), on=190)
    statements = world.statements()
    assert {s.status for s in statements} == {"past"}
    assert statements[0].valid_to == day(190)


def test_an_end_reaches_across_relations_of_use():
    world = World()
    world.say(1, claim("start_day_with", "coffee"))
    world.say(2, claim("diet", "coffee", temporal="ended"), on=50)
    assert world.statements()[0].status == "past"


def test_a_switch_names_what_it_replaces():
    world = World()
    world.say(1, claim("uses_tool", "Windows"), claim("uses_tool", "Slack"))
    world.say(2, claim("uses_tool", "Fedora", cue="change", replaces="Windows"), on=50)
    assert (world.status("Windows"), world.status("Fedora"), world.status("Slack")) == ("superseded", "current", "current")


def test_many_valued_relations_coexist():
    world = World()
    world.say(1, claim("speaks", "Polish"), claim("speaks", "English"))
    assert {s.status for s in world.statements()} == {"current"}
    assert not any(s.contradicts for s in world.statements())


def test_allergic_and_not_allergic_contradict():
    world = World()
    world.say(1, claim("allergic_to", "penicillin"))
    world.say(2, claim("allergic_to", "penicillin", polarity="negative"), on=3)
    assert all(len(s.contradicts) == 1 for s in world.statements())


def test_liking_what_was_disliked_supersedes():
    world = World()
    world.say(1, claim("likes", "olives", kind="preference"))
    world.say(2, claim("dislikes", "olives", kind="preference"), on=90)
    assert [s.status for s in world.statements()] == ["superseded", "current"]


def test_counts_of_brothers_contradict_and_of_pets_change():
    world = World()
    world.say(1, claim("has_family", "one brother"), claim("has_pet", "two cats"))
    world.say(2, claim("has_family", "three brothers"), claim("has_pet", "one cat"), on=90)
    assert world.by("one brother").contradicts
    assert world.status("two cats") == "superseded"


def test_preferences_conflict_only_in_one_context():
    world = World()
    world.say(1, claim("prefers", "coffee", kind="preference", context="at home"))
    world.say(1, claim("prefers", "tea", kind="preference", context="at the office"), on=1)
    world.say(3, claim("prefers", "sparkling water", kind="preference", context="at the office", cue="change"), on=99)
    assert (world.status("coffee"), world.status("tea")) == ("current", "superseded")


def test_numbers_and_names_are_never_merged():
    world = World()
    world.say(
        1,
        claim("attribute", "number 214", context="locker at the gym"),
        claim("attribute", "number 241", context="locker at the office"),
    )
    assert len(world.statements()) == 2
    assert not any(s.contradicts or s.supersedes for s in world.statements())


def test_an_exclusive_group_replaces_within_itself_only():
    world = World()
    world.say(1, claim("diet", "vegetarian"), claim("diet", "lactose", polarity="negative"))
    world.say(2, claim("diet", "vegan", cue="change"), on=30)
    assert (world.status("vegetarian"), world.status("vegan"), world.status("lactose")) == ("superseded", "current", "current")


def test_a_second_job_that_is_said_to_come_on_top_coexists():
    world = World()
    world.say(1, claim("has_job", "teacher"), claim("has_job", "referee", cue="addition"))
    assert not any(s.contradicts for s in world.statements())


def test_moving_back_is_a_new_statement():
    world = World()
    world.say(1, claim("lives_in", "Umeå"))
    world.say(2, claim("lives_in", "Lund", cue="change"), on=100)
    world.say(3, claim("lives_in", "Umeå", cue="change"), on=200)
    assert [s.status for s in world.statements()] == ["superseded", "superseded", "current"]


def test_a_place_within_a_place_refines():
    world = World()
    world.say(1, claim("lives_in", "Lisbon"))
    world.say(2, claim("lives_in", "Alfama in Lisbon"), on=30)
    assert world.status("Lisbon") == world.status("Alfama in Lisbon") == "current"


def test_new_york_is_not_a_finer_york():
    world = World()
    world.say(1, claim("lives_in", "York"))
    world.say(2, claim("lives_in", "New York"), on=30)
    assert world.status("York") == "superseded"


def test_a_suggestion_ends_nothing():
    world = World()
    world.say(1, claim("lives_in", "Turku"))
    world.say(2, claim("lives_in", "Kiruna", hedged=True), on=30)
    assert (world.status("Turku"), world.status("Kiruna")) == ("current", "suggested")


def test_a_suggestion_is_not_supported_across_what_would_have_ended_it_as_a_statement():
    """A suggestion has no rivals, so that they have to be looked for as of the statement that the telling makes of it."""
    world = World()
    world.say(1, claim("lives_in", "Turku", hedged=True), on=60)
    world.say(2, claim("lives_in", "Kiruna"), on=30)
    early = claim("lives_in", "Turku")
    assert [outcome.what for outcome in world.say(3, early, on=1).outcomes] == ["recorded"]
    plan = world.say(4, early, on=1)
    assert [outcome.what for outcome in plan.outcomes] == ["corroborated"]
    assert (plan.links, plan.retired) == ((), ())


def test_a_deed_closes_its_task_and_nothing_else():
    world = World()
    world.say(
        1,
        claim("task", "return the drill to Mikko", kind="open_item", details={"due": None, "verb": "return"}),
        claim("task", "book the chimney sweep", kind="open_item", details={"due": None, "verb": "book"}),
    )
    world.say(2, claim("task", "returned the drill to Mikko", kind="open_item", done=True, details={"verb": "return"}), on=5)
    assert world.status("return the drill to Mikko") == "past"
    assert world.status("book the chimney sweep") == "current"


def test_a_deed_without_a_task_is_not_stored():
    world = World()
    plan = world.say(1, claim("task", "returned the books", kind="open_item", done=True))
    assert [o.what for o in plan.outcomes] == ["nothing_to_close"]
    assert world.statements() == []


def test_a_future_fact_is_planned_until_its_time_comes():
    world = World()
    world.say(1, claim("works_at", "Kone"))
    world.say(2, claim("works_at", "Wolt", temporal="future", time=interval(600, None)), on=10)
    assert (world.status("Kone"), world.status("Wolt")) == ("current", "planned")
    later = {s.object: s.status for s in world.statements(at=day(700))}
    assert later == {"Kone": "superseded", "Wolt": "current"}
