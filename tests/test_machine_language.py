"""The machine language: what is read, what is refused and where, and that nothing in it can run."""

import shutil
import subprocess
import sys
import time

import pytest
from conftest import ROOT, run
from hypothesis import given, settings
from hypothesis import strategies as st
from statemachine import load

WEIGHTED = """(weighted-machine m (bands 0.5)
  (state a drop (costs 1 2) (to b 3))
  (state b keep (costs 1 2)))
"""
NO_CONDITION = ("1:22 a condition is else, blank, held, (and ...), (or ...), (not CONDITION)"
                " or a comparison such as (< score 0.5)")

NO_RULE = "1:21 a rule is (CONDITION ACTION STATE), with release or discard at its end if need be"
NO_THRESHOLD = "1:28 a threshold is a number above 0, up to 1, with at most four decimals"
NO_COST = "2:26 a cost is a whole number from 0 to 1000000"
NO_MARK = "2:38 expected (mark LETTERS COST), or 2 costs, one for each band"


def problems(text):
    """What is wrong with a machine, as `line:column what`."""
    return [f"{line}:{column} {what}" for line, column, what in load.examine(text)[1]]


@pytest.mark.parametrize("text, where", [
    ("", "1:1 no machine here"),
    ("; only a comment\n", "2:1 no machine here"),
    ("(machine m\n  (state a (else keep a))", "1:1 this list is not closed"),
    ("(machine m (state a (else keep a))))", "1:36 unexpected ')'"),
    ("(machine m (state a (else keep a)))\n\n extra", "3:2 unexpected 'e'"),
    ("(machine m (state a\t(else keep a)) 'b)", "1:36 unexpected \"'\""),
    ('(machine m "text")', "1:12 unexpected '\"'"),
    ("(machine m 9b)", "1:13 unexpected 'b'"),
    ("(machine m [a])", "1:12 unexpected '['"),
    ("(machine caf\xe9)", "1:13 unexpected '\\xe9'"),
    ("(machine m \x0c)", "1:12 unexpected '\\x0c'"),
    ("\ufeff(machine m)", "1:1 unexpected '\\ufeff'"),
])
def test_a_syntax_error_tells_its_line_and_column(text, where):
    assert problems(text) == [where]


@pytest.mark.parametrize("text, where", [
    ("(import os)", "1:1 a machine begins with (machine NAME or (weighted-machine NAME"),
    ("(do (import os) (os.system \"id\"))", "1:20 unexpected '.'"),
    ("(machine m (state a (else keep __class__)))", "1:32 unexpected '_'"),
    ("(machine m (state a (#(else) keep a)))", "1:22 unexpected '#'"),
    ("(machine m #.(print 1))", "1:12 unexpected '#'"),
    ("(machine m (state a (hy.eval keep a)))", "1:24 unexpected '.'"),
    ("(machine m (state a ((eval a) keep a)))", NO_CONDITION),
    ("(machine m (state a ((> print 0) keep a) (else keep a)))",
     "1:22 a comparison is (< TERM NUMBER), TERM one of score, length, line, held"),
    ("(machine m (state a ((> score (exit)) keep a) (else keep a)))",
     "1:22 a comparison is (< TERM NUMBER), TERM one of score, length, line, held"),
    ("`(~@x)", "1:1 unexpected '`'"),
    ("(defmacro m [] 1)", "1:13 unexpected '['"),
    ("(eval-when-compile (exit 3))", "1:1 a machine begins with (machine NAME or (weighted-machine NAME"),
])
def test_a_machine_cannot_run_code(text, where):
    assert problems(text) == [where]


def test_names_of_the_program_are_only_names():
    """States called like what the compiled function uses change nothing."""
    names = ["state", "score", "held", "line", "return", "None", "b", "costs", "marks", "way", "advance", "step"]
    states = "".join(f"(state {a} ((< score 0.5) keep {b}) (else drop {a}))" for a, b in zip(names, names[1:]))
    machine, wrong = load.build(f"(machine None {states} (state {names[-1]} (else keep {names[0]})))")
    assert not wrong and machine.STATES == names and machine.step(0, 0.1, b"0.1", b"", 1, 0) == 0
    states = "".join(f"(state {a} keep (costs 1 2) (to {b} 1))" for a, b in zip(names, names[1:]))
    machine, wrong = load.build(f"(weighted-machine eval (bands 0.5) {states} (state {names[-1]} drop (costs 0 0)))")
    assert not wrong and machine.advance((0, *[machine.DEAD] * 11), False, 0, 0)[0][:2] == (0, 1)


@pytest.mark.parametrize("text, where", [
    ("(" * 1_000_000, "1:65537 a machine has at most 65536 characters"),
    ("(" * 1_000_000 + ")" * 1_000_000, "1:65537 a machine has at most 65536 characters"),
    ("(" * 60_000, "1:33 lists are nested more than 32 deep"),
    ("(machine m (state a (" + "(not " * 40 + "blank" + ")" * 40 + " keep a)))",
     "1:167 lists are nested more than 32 deep"),
    ("(" * 32 + ")" * 32, "1:1 a machine begins with (machine NAME or (weighted-machine NAME"),
    ("(a " + "() " * 21_000 + ")", "1:1 a machine begins with (machine NAME or (weighted-machine NAME"),
    ("(machine " + "m" * 60_000 + ")", "1:1 a machine has at least one state"),
    (";" * 65_536, "1:65537 no machine here"),
])
def test_hostile_text_is_refused_in_a_moment(text, where):
    start = time.process_time()
    assert problems(text) == [where]
    assert time.process_time() - start < 2


def test_what_is_deep_and_what_is_many_still_compiles():
    depth = "(not " * 28 + "blank" + ")" * 28
    machine, wrong = load.build(f"(machine m (state a ({depth} keep a) (else drop a)))")
    assert not wrong
    assert machine.step(0, 0.0, b"0", b" ", 1, 0) == 0 and machine.step(0, 0.0, b"0", b"x", 1, 0) == 1
    rules = "".join(f"((= line {i}) keep s{i % 64}) " for i in range(1, 64))
    states = "".join(f"(state s{i} {rules} (else keep s{(i + 1) % 64}))" for i in range(16))
    states += "".join(f"(state s{i} (else keep s0))" for i in range(16, 64))
    machine, wrong = load.build(f"(machine m {states})")
    assert not wrong and machine.step(15, 0.0, b"0", b"", 63, 0) == 15 * 64 + 62


@pytest.mark.parametrize("text, where", [
    # any machine
    ("machine", ["1:1 a machine begins with (machine NAME or (weighted-machine NAME"]),
    ("(machine)", ["1:1 (machine is followed by a name"]),
    ("(machine 3)", ["1:1 (machine is followed by a name"]),
    ("(machine m)", ["1:1 a machine has at least one state"]),
    ("(machine m (state))", ["1:12 a state has a name", "1:1 a machine has at least one state"][::-1]),
    ("(machine m (sate a))", ["1:1 a machine has at least one state", "1:12 expected (state"]),
    ("(machine m a)", ["1:1 a machine has at least one state", "1:12 expected (state"]),
    ("(machine m\n (state a (else keep a))\n (state a (else drop a)))", ["3:9 state a comes twice"]),
    ("(machine m (state a (else keep b)))", ["1:32 unknown state b"]),
    ("(machine m (state a (else keep (b))))", ["1:32 expected a state"]),
    ("(machine m (state a (else keep a))\n (state b (else keep c)) (state c (else keep b)))",
     ["2:2 state b is never reached", "2:26 state c is never reached"]),
    # rules
    ("(machine m (state a (else)))", [NO_RULE]),
    ("(machine m (state a else))", [NO_RULE]),
    ("(machine m (state a (else save a)))", ["1:27 expected drop or keep or hold"]),
    ("(machine m (state a (else keep a forget)))", ["1:34 expected discard or release"]),
    ("(machine m (state a (else keep a) (end keep)))", ["1:40 expected discard or release"]),
    ("(machine m (state a (else keep a) (end)))", ["1:35 expected (end release) or (end discard)"]),
    ("(machine m (state a (end discard) (else keep a)))",
     [NO_RULE]),
    ("(machine m (state a ((not else) keep a) (else keep a)))", ["1:27 else stands alone, for all that is left"]),
    ("(machine m (state a ((> score 1.5) keep a) (else keep a)))", ["1:31 a score is a number from 0 to 1"]),
    ("(machine m (state a ((> line 1.5) keep a) (else keep a)))", ["1:30 a line is a whole number"]),
    ("(machine m (state a ((> length -1) keep a) (else keep a)))", ["1:32 a length is a whole number"]),
    ("(machine m (state a ((and) keep a) (else keep a)))",
     [NO_CONDITION]),
    ("(machine m (state a (() keep a) (else keep a)))", [NO_CONDITION]),
    ("(machine m (state a (and keep a) (else keep a)))", [NO_CONDITION]),
    ("(machine m (state a (< keep a) (else keep a)))", [NO_CONDITION]),
    ("(machine m (state a (((> score 0.5)) keep a) (else keep a)))", [NO_CONDITION]),
    # is every case covered?
    ("(machine m\n  (state a))", ["2:3 state a has no rule"]),
    ("(machine m\n  (state a ((< score 0.5) keep a)))",
     ["2:3 in state a no rule covers score 0.5; add one or (else ...)"]),
    ("(machine m (state a ((< score 0.5) keep a) ((> score 0.5) drop a)))",
     ["1:12 in state a no rule covers score 0.5; add one or (else ...)"]),
    ("(machine m (state a ((<= score 0.5) keep a) ((> score 0.5) drop a)))", []),
    ("(machine m (state a (blank keep a) ((not blank) drop a)))", []),
    ("(machine m (state a (held keep a release) ((= held 0) hold a)))", []),
    ("(machine m (state a ((and blank (> line 3)) keep a) ((not blank) drop a)))",
     ["1:12 in state a no rule covers blank, line 2; add one or (else ...)"]),
    ("(machine m (state a ((or (< line 10) (>= line 10)) keep a)))", []),
    ("(machine m (state a ((= score 0) keep a) ((= score 1) keep a) ((and (> score 0) (< score 1)) drop a)))", []),
    ("(machine m (state a ((< score 0.5) keep a) ((< score 0.4) drop a) (else drop a)))",
     ["1:45 this rule never applies: those before it cover all its cases"]),
    ("(machine m (state a (else keep a) (else drop a)))",
     ["1:36 this rule never applies: those before it cover all its cases"]),
    # weighted
    ("(weighted-machine m (state a keep (costs 1)))", ["1:1 a weighted machine has one (bands THRESHOLD...)"]),
    (WEIGHTED.replace("0.5", "0.5) (bands 0.6"), ["1:33 a weighted machine has one (bands THRESHOLD...)"]),
    (WEIGHTED.replace("0.5", "0"), [NO_THRESHOLD]),
    (WEIGHTED.replace("0.5", "1.1"), [NO_THRESHOLD]),
    (WEIGHTED.replace("0.5", "0.12345"), [NO_THRESHOLD]),
    (WEIGHTED.replace("0.5", "0.5 0.4").replace("1 2", "1 2 3"), ["1:32 thresholds rise from one to the next"]),
    (WEIGHTED.replace("(costs 1 2) (to", "(costs 1 2 3) (to"), ["2:17 3 costs where there are 2 bands"]),
    (WEIGHTED.replace("(costs 1 2) (to", "(to"), ["2:3 state a has no (costs ...)"]),
    (WEIGHTED.replace("(costs 1 2) (to", "(costs 1 2) (costs 1 2) (to"), ["2:29 a second (costs"]),
    (WEIGHTED.replace("(costs 1 2) (to", "(costs 1 -2) (to"), [NO_COST]),
    (WEIGHTED.replace("(costs 1 2) (to", "(costs 1 2.5) (to"), [NO_COST]),
    (WEIGHTED.replace("(costs 1 2) (to", "(costs 1 1000001) (to"), [NO_COST]),
    (WEIGHTED.replace("(costs 1 2) (to", f"(costs 1 {'9' * 9999}) (to"), [NO_COST]),
    (WEIGHTED.replace("(costs 1 2) (to", "(costs 1 few) (to"), [NO_COST]),
    (WEIGHTED.replace("a drop", "a hold"), ["2:12 expected drop or keep"]),
    (WEIGHTED.replace("a drop", "a"), ["2:3 a state's name is followed by keep or drop"]),
    (WEIGHTED.replace("(to b 3)", "(verdicts keep) (to b 3)"), ["2:29 1 verdicts where there are 2 bands"]),
    (WEIGHTED.replace("(to b 3)", "(verdicts keep no) (to b 3)"), ["2:44 expected drop or keep"]),
    (WEIGHTED.replace("(to b 3)", "(to c 3)"), ["2:33 unknown state c", "3:3 state b is never reached"]),
    (WEIGHTED.replace("(to b 3)", "(to b)"),
     ["2:29 a move is (to STATE COST), with (open COST) and (close COST) if need be", "3:3 state b is never reached"]),
    (WEIGHTED.replace("(to b 3)", "(to b 3) (to b 4)"), ["2:42 a move to b comes twice"]),
    (WEIGHTED.replace("(to b 3)", "(to b 3) (to a 4)"), ["2:38 staying in a state is no move and costs nothing"]),
    (WEIGHTED.replace("(to b 3)", "(to b 3 (shut 4))"), ["2:37 expected (open or (close"]),
    (WEIGHTED.replace("(to b 3)", "(to b 3 (open))"), ["2:37 expected (open COST) or (open COST COST)"]),
    (WEIGHTED.replace("(to b 3)", "(to b 3 (open 1) (open 2))"), ["2:46 a second (open"]),
    (WEIGHTED.replace("(to b 3)", "(to b 3) (mark 1 1)"), [NO_MARK]),
    (WEIGHTED.replace("(to b 3)", "(to b 3) (mark e)"), [NO_MARK]),
    (WEIGHTED.replace("(to b 3)", "(to b 3) (mark e 1) (mark e 2)"), ["2:55 mark e comes twice"]),
    (WEIGHTED.replace("(to b 3)", "(to b 3) (end discard)"), ["2:43 a cost is a whole number from 0 to 1000000"]),
    (WEIGHTED, []),
    # several
    ("(machine m (state a ((> score 2) save b) (else keep a)))",
     ["1:31 a score is a number from 0 to 1", "1:34 expected drop or keep or hold", "1:39 unknown state b"]),
])
def test_every_fault_is_told_with_its_place(text, where):
    assert problems(text) == where


WORDS = ["(", "(", "(", ")", ")", ")", "machine", "weighted-machine", "bands", "state", "a", "b", "keep", "drop",
         "hold", "costs", "verdicts", "to", "open", "close", "mark", "end", "release", "discard", "else", "blank", "held",
         "or", "not", "<", "=", "score", "line", "0", "1", "0.5", "-1"]


def near(text):
    """`text` with a few of its words replaced, dropped or doubled."""
    words = text.replace("(", " ( ").replace(")", " ) ").split()
    edit = st.tuples(st.integers(0, len(words) - 1), st.lists(st.sampled_from(WORDS), max_size=2))
    return st.lists(edit, max_size=3).map(lambda edits: " ".join(
        word for i, old in enumerate(words) for word in dict(edits).get(i, [old])))


@settings(max_examples=200)
@given(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join) | st.text(max_size=50)
       | near(load.source("article")) | near(load.source("regions").rpartition(";")[2].partition("\n")[2]) | near(load.source("threshold")))
def test_any_text_is_a_machine_or_has_problems_with_a_place(text):
    program, wrong = load.translate(text)
    assert (program is None) == bool(wrong)
    for line, column, what in wrong:
        assert 1 <= line <= text.count("\n") + 1 and 1 <= column <= len(text.split("\n")[line - 1]) + 1
        assert what.isprintable()


def test_too_many_states_and_rules_are_refused():
    states = "".join(f"(state s{i} (else keep s{(i + 1) % 65}))" for i in range(65))
    assert [what.partition(" ")[2] for what in problems(f"(machine m {states})")] == [
        "a machine has at most 64 states"]
    rules = "".join(f"((= line {i}) keep a)" for i in range(1, 65))
    assert [what.partition(" ")[2] for what in problems(f"(machine m (state a {rules} (else keep a)))")] == [
        "a state has at most 64 rules"]


def test_where_too_many_cases_are_to_be_tried_else_is_demanded():
    conditions = "".join(f"((and (= score 0.{i}) (= length {i * 7}) (= line {i * 5})) keep a)"
                         for i in range(11, 40))
    assert problems(f"(machine m (state a {conditions}))") == ["1:12 state a needs a last rule (else ...)"]
    assert problems(f"(machine m (state a {conditions} (else drop a)))") == []


def test_shipped_machines_are_right():
    for name in load.shipped():
        assert load.problems(name) == []


def test_the_id_is_of_the_tokens_alone():
    text = load.source("article")
    bare = "".join(line.partition(";")[0] + "\n \t" for line in text.split("\n"))
    assert load.identify(text) == load.identify(bare)
    assert load.identify(text) != load.identify(text.replace("0.5", "0.6"))
    assert run("regions", "--id", "-m", "article") == load.identify(text).encode() + b"\n"


def test_check_prints_every_problem_and_fails(tree):
    top = tree({"bad.lisp": b"(machine m ; \xe9\n (state a (else keep b))\n (state c (else keep c)))",
                "worse.lisp": b"(" * 1_000_000, "good.lisp": WEIGHTED.encode()})
    assert run("regions", "--check", "-m", "bad.lisp", cwd=top, status=1) == (
        b"bad.lisp:2:22: unknown state b\nbad.lisp:3:2: state c is never reached\n")
    assert run("regions", "--check", "-m", "worse.lisp", cwd=top, status=1).count(b"\n") == 1
    assert run("regions", "--check", "-m", "good.lisp", cwd=top) == b""
    assert run("regions", "--check") == b""


def test_a_wrong_machine_is_one_line_on_stderr_and_nothing_is_written(tree):
    top = tree({"bad.lisp": b"(machine m\n (state a (else keep b))\n (state c (else keep c)))"})
    assert run("regions", "-m", "bad.lisp", cwd=top, input=b"0.1\ttext\n", status=2) == b""
    assert run.stderr == "regions: bad.lisp: line 2, column 22: unknown state b (and 1 more, which --check tells)\n"
    assert run("regions", "-m", "article.lisp", cwd=top, status=2) == b""
    assert run.stderr == "regions: article.lisp: No such file or directory\n"
    assert run("regions", "-m", "/dev/zero", cwd=top, status=2) == b""
    assert run.stderr.startswith("regions: /dev/zero: line 1, column 65537: a machine has at most")
    assert run("regions", "-m", ".", cwd=top, status=2) == b""
    assert run.stderr == "regions: .: Is a directory\n"


@pytest.mark.skipif(not shutil.which("dot"), reason="no dot")
def test_graph_is_in_the_language_of_graphviz():
    for name in load.shipped():
        graph = run("regions", "--graph", "-m", name)
        done = subprocess.run(["dot", "-Tplain"], input=graph, capture_output=True)
        assert done.returncode == 0, done.stderr
        drawn = [line.split()[1].strip(b'"').decode()
                 for line in done.stdout.split(b"\n") if line.startswith(b"node")]
        machine, _ = load.load(name)
        assert sorted(drawn) == sorted(["", *machine.STATES])


def test_the_lisp_side_imports_nothing_of_sieve_but_the_wire():
    script = ("import sys; sys.path.insert(0, sys.argv[1])\n"
              "from statemachine import regions, load; load.build(load.source('article'))\n"
              "print(*sorted(name for name in sys.modules if name.startswith('sieve')))")
    done = subprocess.run([sys.executable, "-c", script, ROOT], capture_output=True, check=True)
    assert done.stdout.split() == [b"sieve", b"sieve.wire"]
