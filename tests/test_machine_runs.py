"""What machines decide: against brute force over all paths, a plain reference, and Common Lisp."""

import itertools
import shutil
import subprocess

import pytest
from conftest import ROOT, run
from hypothesis import given, settings
from hypothesis import strategies as st
from statemachine import load
from statemachine.scored import scored
from statemachine.stepper import Stepper
from statemachine.viterbi import Weighted

CUT = 1000
BLANK = None


def decide(decider, stream, size=None):
    """What a decider returns for a scored stream (bytes) that comes in pieces of `size` lines:
    `(states, verdicts)`, and the number of lines that were decided after each piece."""
    lines = stream.split(b"\n")[:-1]
    states, verdicts, after = [], [], []

    def take(decided):
        scores, texts, keys, placed, given = decided
        assert len(scores) == len(texts) == len(keys) == len(placed) == len(given)
        done = len(states)
        assert [b"%s\t%s" % pair for pair in zip(scores, texts)] == [
            line + b"\n" for line in lines[done:done + len(texts)]]
        states.extend(placed)
        verdicts.extend(given)
        after.append(len(states))

    size = size or max(1, len(lines))
    for at in range(0, len(lines), size):
        block = b"".join(line + b"\n" for line in lines[at:at + size])
        written, texts, values, wrong = scored(block, decider.memo)
        assert wrong is None
        take(decider.feed(written, texts, values))
    take(decider.finish())
    assert len(states) == len(lines)
    return states, verdicts, after


# --- weighted machines ---

COSTS = st.sampled_from([0, 1, 2, 3, 5, 10, 60, 400, 600, 999, 1000, 1001])
MOVES = st.sampled_from([-1000, -20, -1, 0, 1, 2, 10, 600, 999, 1000])
BANDS = {"0.0": 0, "0.2999": 0, "0.3": 1, ".31": 1, "0.69999": 1, "0.7": 2, "1.0000": 2}
WRITTEN = st.sampled_from(["e", "o", "c", "E", "eo", "oe", "ec"])


@st.composite
def machines(draw):
    """A weighted machine as text, and as `(costs, verdicts, moves, marks, ends)` to compute with."""
    states = draw(st.integers(1, 3))
    costs = draw(st.lists(st.lists(COSTS, min_size=3, max_size=3), min_size=states, max_size=states))
    verdicts = draw(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=states, max_size=states))
    option = st.none() | st.lists(MOVES, min_size=1, max_size=2)
    moves = {pair: draw(st.tuples(MOVES, option, option))
             for pair in itertools.permutations(range(states), 2)
             if pair[1] == pair[0] + 1 or draw(st.booleans())}  # each state is reached
    one_or_three = st.lists(COSTS, min_size=1, max_size=1) | st.lists(COSTS, min_size=3, max_size=3)
    marks = draw(st.lists(st.dictionaries(WRITTEN, one_or_three, max_size=3), min_size=states, max_size=states))
    ends = draw(st.lists(COSTS, min_size=states, max_size=states))
    lines = []

    def some(head, numbers):
        return "" if numbers is None else f" ({head} {' '.join(map(str, numbers))})"

    for state in range(states):
        lines += [f"(state s{state} {draw(st.sampled_from(['keep', 'drop']))}", some("costs", costs[state]),
                  f"(verdicts {' '.join('keep' if v else 'drop' for v in verdicts[state])})",
                  *(some(f"mark {letters}", paid) for letters, paid in marks[state].items()),
                  *(f"(to s{end} {cost}{some('open', opens)}{some('close', closes)})"
                    for (start, end), (cost, opens, closes) in moves.items() if start == state),
                  some("end", [ends[state]]), ")"]
    text = "(weighted-machine m (bands 0.3 0.7)\n" + "\n".join(lines) + ")"
    return text, (costs, verdicts, moves, marks, ends)


LINES = st.lists(st.just("-") | st.tuples(st.sampled_from(sorted(BANDS)), st.sampled_from(
    ["", "", "o", "O", "c", "C", "e", "eo", "oc", "Ce", "xoo", "eE"])).map("".join), max_size=7)
LETTERS = "ceoxCEO"


def price(machine, lines, at, start, end):
    """What a path pays at line `at` that goes from state `start` to `end` there."""
    costs, _, moves, marks, _ = machine
    number, letters = lines[at].rstrip(LETTERS), lines[at].lstrip("-.0123456789")
    before = next((line for line in reversed(lines[:at]) if line != "-"), "")
    paid = 0
    if start != end:
        paid, opens, closes = moves[start, end]
        instead = []
        if opens and ("o" in before or "O" in before):
            instead.append(opens[-1] if "O" in before else opens[0])
        if closes and ("c" in letters or "C" in letters):
            instead.append(closes[-1] if "C" in letters else closes[0])
        paid = min(instead, default=paid)
    mine = [(written, of) for written, of in marks[end].items() if set(written) <= set(letters)]
    if number != "-":
        paid += next((of for _, of in mine if len(of) == 3), costs[end])[BANDS[number]]
    return paid + sum(of[0] for _, of in mine if len(of) == 1)


def best_of_all_paths(machine, lines):
    """Every path, one by one; those that end in a state which is too dear go."""
    states, moves, ends = range(len(machine[0])), machine[2], machine[4]
    paths = {(): 0}
    for at in range(len(lines)):
        grown = {}
        for path, cost in paths.items():
            start = path[-1] if path else 0
            for end in states:
                if start == end or (start, end) in moves:
                    grown[path + (end,)] = cost + price(machine, lines, at, start, end)
        best = {end: min((cost for path, cost in grown.items() if path[-1] == end), default=None) for end in states}
        least = min(cost for cost in best.values() if cost is not None)
        paths = {path: cost for path, cost in grown.items() if best[path[-1]] < least + CUT}
    # of equals, the one whose last state is named first, and so on back
    return list(min(paths, key=lambda path: (paths[path] + ends[path[-1] if path else 0], path[::-1])))


def verdicts_of(machine, lines, path):
    """Each line's verdict on a path; a blank line's from its nearest neighbours that are not."""
    given = [BLANK if line == "-" else machine[1][state][BANDS[line.rstrip(LETTERS)]]
             for line, state in zip(lines, path)]
    result = []
    for at, verdict in enumerate(given):
        before = [v for v in given[:at] if v is not BLANK][-1:]
        after = [v for v in given[at:] if v is not BLANK][:1]
        around = before + after
        result.append(verdict if verdict is not BLANK else not around or any(around))
    return result


def stream(lines):
    return b"".join(b"%s\tline %d\n" % (line.encode(), i) for i, line in enumerate(lines))


def weighted(text, window=1000):
    machine, wrong = load.build(text)
    assert not wrong
    return Weighted(machine, window)


@settings(max_examples=150)
@given(machines(), st.lists(LINES, min_size=1, max_size=3), st.integers(1, 8))
def test_the_path_is_the_cheapest_of_all(made, documents, size):
    text, machine = made
    decider = weighted(text)
    for lines in documents:  # one decider: what it remembers of one serves the next
        path = best_of_all_paths(machine, lines)
        states, verdicts, _ = decide(decider, stream(lines), size)
        assert states == path
        assert list(map(bool, verdicts)) == verdicts_of(machine, lines, path)


@settings(max_examples=80)
@given(machines(), LINES)
def test_the_costs_that_are_told_are_those_of_the_path(made, lines):
    text, machine = made
    decider = weighted(text)
    written, texts, values, _ = scored(stream(lines), decider.memo)
    _, _, first, states, _ = decider.feed(written, texts, values)
    _, _, rest, more, _ = decider.finish()
    keys, path = first + rest, states + more
    opened = 0
    for at, (before, state, key) in enumerate(zip([0, *path], path, keys)):
        told = decider.explain(before, state, opened, key)
        opened = decider.opened(opened, key)
        costs = [int(part.split()[-1]) for part in told.split(", ") if part != "blank"]
        assert sum(costs) == price(machine, lines, at, before, state)


def windowed(machine, lines, half):
    """The states, where at every `half` lines the best path settles what is more than that back."""
    costs, _, moves, _, ends = machine
    states = range(len(costs))
    alive, back = {0: 0}, []
    for at in range(len(lines)):
        ways = {end: min((cost + price(machine, lines, at, start, end), start) for start, cost in alive.items()
                         if start == end or (start, end) in moves)
                for end in states if any(start == end or (start, end) in moves for start in alive)}
        least = min(ways.values())[0]
        alive = {end: cost - least for end, (cost, _) in ways.items() if cost < least + CUT}
        back.append({end: start for end, (_, start) in ways.items()})
        if (at + 1) % half == 0 and at + 1 > half:
            def ancestor(state):
                for origins in back[:-half - 1:-1]:
                    state = origins[state]
                return state
            chosen = ancestor(min(alive, key=lambda state: (alive[state], state)))
            alive = {state: cost for state, cost in alive.items() if ancestor(state) == chosen}
    path, state = [], min(alive, key=lambda state: (alive[state] + ends[state], state))
    for origins in reversed(back):
        path.append(state)
        state = origins[state]
    return path[::-1]


@settings(max_examples=80)
@given(machines(), st.lists(LINES, max_size=5).map(lambda parts: sum(parts, [])), st.integers(2, 12),
       st.integers(1, 9))
def test_the_window_forces_the_best_path_whatever_the_blocks(made, lines, window, size):
    text, machine = made
    states, _, after = decide(weighted(text, window), stream(lines), size)
    assert states == windowed(machine, lines, window // 2)
    given, states = len(lines), 0
    for piece, done in enumerate(after[:-1], 1):
        waiting = min(piece * size, given) - done
        assert waiting <= 2 * window + size  # for their paths, and a run of blank lines before them


@settings(max_examples=60)
@given(machines(), LINES)
def test_a_small_table_gives_the_same(made, lines):
    text, machine = made
    decider = weighted(text)
    decider.entries = 10 ** 9  # full: it begins anew at each entry

    class Full(type(decider)):
        def extend(self, node, symbol):
            self.entries = 10 ** 9
            return super().extend(node, symbol)

    decider.__class__ = Full
    assert decide(decider, stream(lines))[0] == best_of_all_paths(machine, lines)


BOTH = """(weighted-machine m (bands 0.5)
  (state head drop (costs 20 1) (to body 10))
  (state body keep (costs 0 20) (to foot 10))
  (state foot drop (costs 20 1)))"""


def kept(lines, text=BOTH, **options):
    _, verdicts, _ = decide(weighted(text, **options), stream(lines))
    return "".join("+" if verdict else "." for verdict in verdicts)


@pytest.mark.parametrize("lines, what", [
    ("- 0 - 0 -", "+++++"),  # nothing to wash: every byte stays
    ("- - -", "+++"),        # no evidence at all
    ("1 - 1", "..."),
    ("- 1 1 1 - -", "......"),
    ("1 1 - 0 0 0", "..++++"),
    ("1 1 - - 0 0 - 1 1 -", "..+++++..."),
    ("0 0 - 1 1 1 - - -", "+++......"),
])
def test_a_blank_line_goes_only_between_lines_that_went(lines, what):
    assert kept(lines.split()) == what


def test_a_run_of_blank_lines_longer_than_the_window_stays():
    for size in (1, 2, 7, 100):
        _, verdicts, after = decide(weighted(BOTH, window=10), stream(["1"] + 10 * ["-"] + ["1"]), size)
        assert not any(verdicts)
        _, verdicts, after = decide(weighted(BOTH, window=10), stream(["1"] + 11 * ["-"] + ["1"]), size)
        assert verdicts == [0] + 11 * [1] + [0]


def test_of_equal_costs_the_state_named_first_wins():
    text = """(weighted-machine m (bands 0.5)
      (state a drop (costs 1 1) (to b 0) (to c 0)) (state b keep (costs 1 1) (to d 0))
      (state c keep (costs 1 1) (to d 0)) (state d keep (costs 0 0)))"""
    states, _, _ = decide(weighted(text), stream(["0", "0", "0"]))
    assert states == [1, 3, 3]  # d cannot follow a at once; of b and c, b is named first
    tie = "(weighted-machine m (bands 0.5) (state a keep (costs 0 0) (to b 0)) (state b drop (costs 0 0) (to a 0)))"
    assert decide(weighted(tie), stream(["0"] * 5))[0] == [0] * 5


def test_a_state_a_thousand_above_the_best_is_gone_for_good():
    text = """(weighted-machine m (bands 0.5) (state a drop (costs 0 3000) (to b 5000 (open {})))
                (state b keep (costs 0 0)))"""
    assert decide(weighted(text.format(999)), stream(["0o", "0", "1"]))[0] == [0, 1, 1]
    assert decide(weighted(text.format(1000)), stream(["0o", "0", "1"]))[0] == [0, 0, 0]  # though 1000 < 3000


def test_open_and_close_replace_the_cost_of_a_move():
    text = """(weighted-machine m (bands 0.5) (state a drop (costs 9 9) (to b 30 (open 1) (close 2)))
                (state b keep (costs 0 0)))"""
    assert decide(weighted(text), stream(["0", "0"]))[0] == [0, 0]      # 18 against 30
    assert decide(weighted(text), stream(["0o", "0"]))[0] == [0, 1]     # 9 + 1: opens after a line with o
    assert decide(weighted(text), stream(["0", "0o"]))[0] == [0, 0]
    assert decide(weighted(text), stream(["0", "0c"]))[0] == [0, 1]     # 9 + 2: closes before a line with c
    assert decide(weighted(text), stream(["0c", "0"]))[0] == [1, 1]
    for opens, closes in ((12, 2), (2, 12)):  # the lesser of both: 9 + 2 against 18, and 9 + 12 would be too dear
        both = text.replace("open 1", f"open {opens}").replace("close 2", f"close {closes}")
        assert decide(weighted(both), stream(["0o", "0c"]))[0] == [0, 1]
        assert decide(weighted(both), stream(["0o", "0"]))[0] == [0, int(opens == 2)]


def test_an_edge_is_remembered_over_blank_lines_and_may_be_strong():
    text = """(weighted-machine m (bands 0.5) (state a drop (costs 9 9) (to b 30 (open 5 1)))
                (state b keep (costs 0 0)))"""
    assert decide(weighted(text), stream(["0o", "-", "-", "0"]))[0] == [0, 0, 0, 1]
    for mark, least in (("o", 5), ("O", 1)):
        assert decide(weighted(text.replace("9 9", f"9 {least}")), stream(["0" + mark, "1"]))[0] == [0, 0]  # as dear
        assert decide(weighted(text.replace("9 9", f"9 {least + 1}")), stream(["0" + mark, "1"]))[0] == [0, 1]


def test_marks_replace_costs_by_the_first_that_applies():
    text = """(weighted-machine m (bands 0.5) (state a drop (costs 9 9) (mark xy 5 5) (mark x 1 7) (mark z 2) (to b 0))
                (state b keep (costs 6 6)))"""
    for line, state in (("0", 1), ("0x", 0), ("0xy", 0), ("1x", 1), ("1yx", 0), ("0y", 1), ("0xz", 0), ("0xyz", 1)):
        assert decide(weighted(text), stream([line]))[0] == [state], line


def test_what_a_document_ends_in_may_cost():
    text = "(weighted-machine m (bands 0.5) (state a drop (costs 0 0) (to b 3) (end {})) (state b keep (costs 0 0)))"
    assert decide(weighted(text.format(3)), stream(["0", "0"]))[0] == [0, 0]
    assert decide(weighted(text.format(4)), stream(["0", "0"]))[0] in ([0, 1], [1, 1])


def test_lines_are_decided_as_soon_as_all_paths_agree():
    _, _, after = decide(weighted(BOTH), stream(["1", "1", "0", "0", "0", "1", "1", "1"]), size=1)
    assert after[3] >= 2 and after[-1] == 8
    _, _, after = decide(weighted(BOTH), stream(["0"] * 1000), size=1)
    # the path that stays in head costs 20 a line and is gone after 50
    assert all(seen - done <= 50 for seen, done in enumerate(after[:-1], 1))


def test_the_default_machine_decides_a_stream_without_end_as_it_comes():
    decider = Weighted(load.load("regions")[0], 10_000)
    scores = ["0.9000"] * 5 + ["0.0123", "0.3000", "-"] * 4000
    _, _, after = decide(decider, stream(scores), size=100)
    assert min(after[20:]) >= 1500 and decider.entries < 1000


# --- machines of rules ---


def stepper(text, window=1000):
    machine, wrong = load.build(text)
    assert not wrong
    return Stepper(machine, window)


def verdict_string(text, scored_stream, size=None, window=1000):
    _, verdicts, _ = decide(stepper(text, window), scored_stream, size)
    return "".join("+" if verdict else "." for verdict in verdicts)


HOLDING = """(machine m
  (state body ((> score 0.5) hold maybe) (else keep body))
  (state maybe ((> score 0.5) hold maybe) (blank keep maybe) ((= score 0) keep body release)
               ((< score 0.3) drop body discard) ({} (end {}))"""


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("end, lines, what", [
    ("release", "0 1 1 0 0", "+++++"),
    ("release", "0 1 1 .2 0", "+...+"),
    ("release", "0 1 1 - .2 0", "+..+.+"),  # what comes while lines are held has its own verdict
    ("release", "0 1 1", "+++"),
    ("discard", "0 1 - 1", "+.+."),
    ("discard", "0 0", "++"),
    ("release", "1 .4 1 .2 1 0", "...." "++"),  # held on, through another rule that holds
])
def test_held_lines_are_released_or_discarded_later(end, lines, what, size):
    text = HOLDING.format("else hold maybe)", end) + ")"
    assert verdict_string(text, stream(lines.split()), size) == what


def test_a_held_line_may_settle_those_before_it():
    text = "(machine m (state a ((> score 0.5) hold a discard) (else keep a release)))"
    assert verdict_string(text, stream("1 1 1 0 1".split())) == "..+++"


@pytest.mark.parametrize("size", [1, 2, 100])
def test_what_is_held_stays_when_the_window_is_full(size):
    text = "(machine m (state a ((> score 0.5) hold a) (else drop a) (end discard)))"
    assert verdict_string(text, stream(["1"] + ["0"] * 9), size, window=10) == "+" + "." * 9
    assert verdict_string(text, stream(["1"] + ["0"] * 8), size, window=10) == "." * 9
    _, _, after = decide(stepper(text, 10), stream(["1"] * 100), size)
    assert all(min(i * size, 100) - done < 10 for i, done in enumerate(after, 1))


@pytest.mark.parametrize("condition, lines, what", [
    ("(> length 3)", [b"0\tabc", b"0\tabcd", "0\tñan".encode(), "0\tñand".encode(), b"0\t\xff\xfe\xfd"], ".+.+."),
    ("(<= line 2)", [b"0\ta"] * 3, "++."),
    ("(= line 2)", [b"0\ta"] * 3, ".+."),
    ("blank", [b"-\t", b"-\tx", b"0\t", b"0\t \t\r", b"0\tx"], "++++."),
    ("(not blank)", [b"-\t", b"0\tx"], ".+"),
    ("(and (>= score 0.25) (< score 0.5))", [b"0.24999\t", b"0.25\t", b"0.5\t", b".3r\t"], ".+.+"),
    ("(or (= score 0) (= score 1))", [b"-\t", b"0.0\t", b"1.000\t", b"0.5\t"], "+++."),
    ("(< score 0.5)", [b"0.49999999999999994\t", b"0.5\t"], "+."),  # seventeen digits tell them apart
])
def test_conditions(condition, lines, what):
    text = f"(machine m (state a ({condition} keep a) (else drop a)))"
    assert verdict_string(text, b"".join(line + b"\n" for line in lines)) == what


def test_held_counts_the_lines_that_are_held():
    text = "(machine m (state a ((= held 2) keep a release) (else hold a) (end discard)))"
    assert verdict_string(text, stream("0 0 0 0 0 0 0".split())) == "+++" "+++" "."
    text = "(machine m (state a (held drop a discard) (else hold a)))"
    assert verdict_string(text, stream("0 0 0".split())) == "..+"


TERMS = {"score": ["0.3", "0.5", "1"], "line": ["3"], "length": ["6"], "held": ["2"]}
CONDITIONS = st.recursive(
    st.sampled_from(["blank", "held", *((op, term, number) for op in ("<", "<=", ">", ">=", "=")
                                        for term, numbers in TERMS.items() for number in numbers)]),
    lambda inner: st.tuples(st.just("not"), inner) | st.tuples(st.sampled_from(["and", "or"]), inner, inner),
    max_leaves=4)
RULES = st.lists(st.tuples(CONDITIONS, st.sampled_from(["keep", "drop", "hold"]), st.integers(0, 1),
                           st.sampled_from(["", " release", " discard"])), max_size=3)


def written(condition):
    return condition if isinstance(condition, str) else f"({' '.join(map(written, condition))})"


def apply_rules(states, ends, lines, window):
    """The verdicts by the language's definition, line by line, with conditions as Python's."""
    state, held, verdicts = 0, [], []
    for number, (score, text) in enumerate(lines, 1):
        names = {"score": float(score.strip("-") or 0), "line": number, "length": len(text), "held": len(held),
                 "blank": score == "-" or not text.strip()}

        def true(form):
            if isinstance(form, str):
                return form == "else" or names[form]
            op, *rest = form
            if op in ("and", "or", "not"):
                values = [true(part) for part in rest]
                return all(values) if op == "and" else any(values) if op == "or" else not values[0]
            left, right = names[rest[0]], float(rest[1])
            return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
                    "=": left == right}[op]

        _, action, state, settle = next(rule for rule in states[state] if true(rule[0]))
        if settle:
            for index in held:
                verdicts[index] = settle == " release"
            held = []
        if action == "hold":
            held.append(len(verdicts))
        verdicts.append(action == "keep")
        if held and len(verdicts) - held[0] >= window:
            for index in held:
                verdicts[index] = True
            held = []
    for index in held:
        verdicts[index] = ends[state]
    return verdicts


@settings(max_examples=200)
@given(st.lists(RULES, min_size=2, max_size=2), st.lists(st.booleans(), min_size=2, max_size=2),
       st.lists(st.tuples(st.sampled_from(["-", "0", "0.3", "0.4", "0.5", "1"]),
                          st.sampled_from(["", " ", "text", "longer"])), max_size=12), st.integers(2, 8), st.integers(1, 13))
def test_rules_do_what_the_language_says(rules, ends, lines, window, size):
    states = [[*state, ("else", "keep", 1, "")] for state in rules]
    text = "(machine m" + "".join(
        f"(state s{i} " + " ".join(f"({written(test)} {action} s{next}{settle})"
                                   for test, action, next, settle in state)
        + f" (end {'release' if ends[i] else 'discard'}))" for i, state in enumerate(states)) + ")"
    if any("never applies" in what for _, _, what in load.examine(text)[1]):
        return  # a machine that the checks refuse
    content = "".join(f"{score}\t{line}\n" for score, line in lines).encode()
    _, verdicts, _ = decide(stepper(text, window), content, size)
    assert list(map(bool, verdicts)) == apply_rules(states, ends, lines, window)


# --- the article's machine ---

needs_sbcl = pytest.mark.skipif(not shutil.which("sbcl"), reason="no sbcl")


def lisp(scored):
    """What the article's machine keeps of scored lines, in Common Lisp."""
    program = ROOT / "tests" / "data" / "article-machine.lisp"
    return subprocess.run(["sbcl", "--script", program], input=scored, capture_output=True, check=True).stdout


@needs_sbcl
@pytest.mark.parametrize("pattern", ["11100000111000", "0111", "1111", "", "0", "000000", "5-5-4-6-0", "-1-1", "6-60-6"])
def test_the_article_machine_keeps_what_its_lisp_keeps(pattern):
    scores = {"0": "0.0312", "1": "0.9871", "-": "-",
              "4": "0.49999999999999994", "5": "0.5", "6": "0.50000000000000011"}
    scored = "".join(f"{scores[c]}\tline {i}\twith a tab\n" for i, c in enumerate(pattern)).encode()
    assert run("regions", "-m", "article", input=scored) == lisp(scored)


@needs_sbcl
def test_the_article_machine_and_its_lisp_agree_on_pages(tmp_path):
    pages = sorted((ROOT / "examples" / "dumps" / "stories").iterdir())
    (tmp_path / "model").write_bytes(run("ngram-model", "build", "--profile", "article", *pages))
    for page in pages:
        scored = run("line-score", "-m", tmp_path / "model", page)
        kept = run("regions", "-m", "article", input=scored)
        assert kept == lisp(scored) and 0 < len(kept) < len(scored)


@pytest.mark.skipif(not shutil.which("gawk"), reason="no gawk")
def test_the_threshold_machine_keeps_what_awk_keeps():
    content = "".join(f"{i / 997:.17g}\tline {i}\n" for i in range(998)).encode()
    awk = subprocess.run(["gawk", "-F\t", "$1 < 0.5 { print $2 }"], input=content, capture_output=True, check=True)
    assert run("regions", "-m", "threshold", input=content) == awk.stdout
