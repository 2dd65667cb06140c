"""norm --unwrap: wrapped paragraphs become a line, and what is no paragraph stays as it is."""

import shutil
import subprocess
import textwrap

import pytest
from conftest import run

from sieve.unwrap import MOST, Unwrap

PARAGRAPHS = [
    "The harbour at Great Wick was built in the year of the long winter, when there was nothing else to do, by men who "
    "had never built one. It faces the wrong way. Ships that wish to enter it must first go past, turn about, and come "
    "back as if they had forgotten something, which is why the pilots of that coast are known for their patience.",
    "A lamp was set on the outer wall in 1871. It burned oil, then gas, then (for one week) whisky; since 1934 it has run "
    "on a clockwork that the keeper winds at six in the evening and, if he is awake, at two in the morning.",
    "Run `lamp --wind` first: the option takes the number of turns, and --quiet leaves out the bell. The log is kept in "
    "/var/log/lamp/evening.log, which lamp(8) opens when it starts and writes to once an hour.",
    "Der Leuchtturmwärter führt ein Tagebuch, in das er die Namen der Schiffe, die Stärke des Windes und die Farbe des "
    "Himmels einträgt. Die Farbe des Himmels ist seit vierzig Jahren »grau«, mit drei Ausnahmen, über die er nicht spricht.",
    "Le dimanche, le bac ne part qu'à midi : le capitaine « réfléchit », dit-on, et personne n'a jamais su à quoi. À son "
    "retour il demande toujours si quelqu'un a téléphoné, et on lui répond toujours que le téléphone n'est pas installé.",
    "Смотритель маяка ведёт дневник, в который записывает названия судов, силу ветра и цвет неба. Цвет неба вот уже сорок лет "
    "«серый», за тремя исключениями, о которых он не говорит ни с кем, даже с кошкой, хотя она была при одном из них.",
    "Nobody has counted the steps and found the same number twice. The guide book says 212, the plaque at the door says "
    "two hundred and nine, and the boy who sells tickets says that it depends on which foot one begins with.",
]


def unwrap(text, **options):
    return Unwrap(**options)(text.encode(), True).decode()


def same(text):
    """Whether `norm --unwrap` leaves it alone."""
    return run("norm", "--only", "unwrap", input=text.encode()).decode() == text


def wrapped(text, wrapper=None, width=72):
    if not wrapper:
        return textwrap.fill(text, width, break_on_hyphens=False)
    if not shutil.which(wrapper[0]):
        pytest.skip(f"{wrapper[0]} is not here")
    return subprocess.run([*wrapper, "-w", str(width)], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout.decode().strip()


@pytest.mark.parametrize("width", [66, 72, 79, 100])
@pytest.mark.parametrize("wrapper", [["fold", "-s"], ["fmt"], None], ids=str)
def test_what_a_wrapper_wrapped_comes_back(wrapper, width):
    text = "\n\n".join(wrapped(paragraph, wrapper, width) for paragraph in PARAGRAPHS) + "\n"
    assert text.count("\n") > 3 * len(PARAGRAPHS)
    assert run("norm", "--unwrap", input=text.encode()).decode() == "\n\n".join(PARAGRAPHS) + "\n"


@pytest.mark.parametrize("text", [
    # lists
    "- wind the lamp at six in the evening, and at two in the morning if awake\n- write down the names of the ships and the colour of the sky\n",
    "1. Wind the lamp at six in the evening, and at two in the morning if awake.\n2. Write down the names of the ships, and the colour of the sky.\n",
    "(a) the lamp, which is to be wound at six in the evening and at two at night\n(b) the book, in which the names of the ships are to be written down\n",
    "• the lamp, which is to be wound at six in the evening and at two at night\n□ the book, in which the names of the ships are to be written down\n",
    "oats\nbarley\nherring\nlamp oil\n",
    # tables
    "| ship      | leaves | arrives | and is expected, by those who wait for it |\n| Patience  | 6:00   | 9:30    | every evening but the one in which it is |\n",
    "+-----------+--------+---------+-------------------------------------------+\n| Patience  | 6:00   | 9:30    | every evening but the one in which it is |\n",
    "Patience     leaves at six in the evening      arrives at half past nine\nReluctance   leaves at nine in the evening     arrives when it arrives\n",
    "│ Patience  │ 6:00   │ 9:30    │ every evening but the one in which it is │\n│ Reluctance│ 9:00   │ -       │ it has not been seen for quite some time │\n",
    "2026-01-01 18:00:01 lamp wound by the keeper, 40 turns, no remarks at all\n2026-01-02 18:00:04 lamp wound by the keeper, 41 turns, some remarks were\n",
    "lamp: wound by the keeper at six in the evening, with no remarks whatsoever\nlamp: wound by the keeper at two in the morning, with no remarks whatever\n",
    # code and quotes
    "    if (lamp_is_out(&lamp) && keeper_is_awake(&keeper) && !is_sunday(today)) {\n        wind_up(&lamp, 40); /* as the book says */\n    }\n",
    "if (lamp->oil[0] == '\\0' && !(flags & LAMP_QUIET)) { *turns = strtol(optarg, &end, 10);\nreturn lamp->wind(&keeper, *turns) ? -EINVAL : (flags |= LAMP_WOUND); }\n",
    "// The lamp is wound at six, and at two in the morning if the keeper is awake\nwind_lamp_and_write_down_the_turns(lamp, keeper);\n",
    "JarConnection lamp = (JarConnection) harbour.openConnection();\nManifest of_the_ship = lamp.getManifest(harbour, keeper);\n",
    "$ lamp --wind 40 --quiet --log /var/log/lamp/evening.log && echo wound it now\nlamp: wound, and the log says that it is wound, which is something.\n",
    "> The harbour at Great Wick was built in the year of the long winter, when\n> there was nothing else to do, by men who had never built one.\n",
    "MIIC7jCCAlegAwIBAgIBATANBgkqhkiG9w0BAQQFADCBqTELMAkGA1UEBhMCWFkx\nFTATBgNVBAgTDFNuYWtlIERlc2VydDETMBEGA1UEBxMKU25ha2UgVG93bjEXMBUG\nQUA=\n",
    "https://example.org/harbour/great-wick/lamp/evening-log-of-the-year-1934\nhttps://example.org/harbour/great-wick/lamp/morning-log-of-the-year-1934\n",
    "See also:\nhttps://example.org/harbour/great-wick/lamp/evening-log-of-the-year-1934\n",
    # headings
    "# The harbour at Great Wick, and how it came to be built the wrong way round\nThe harbour at Great Wick was built in the year of the long winter.\n",
    "The lamp\n========\n", "THE LAMP\nIt was set on the outer wall in 1871, burned oil, then gas, and then whisky.\n",
    # verse
    "There was a lamp at Outer Wick,\nThat no one knew to wind;\nThe keeper wound it till it broke,\nAnd left the key behind.\n",
    "an old silent pond\na frog jumps into the pond\nsplash! silence again.\n",
    # paragraphs of a line each
    "The harbour at Great Wick was built in the year of the long winter, when there was nothing else to do, by men who had never built one.\n"
    "A lamp was set on the outer wall in 1871. It burned oil, then gas, then (for one week) whisky; since 1934 it has run on a clockwork.\n",
], ids=lambda text: text[:24].strip())
def test_what_is_no_wrapped_paragraph_stays(text):
    assert same(text)


def test_items_of_a_list_are_unwrapped_each():
    text = ("- wind the lamp at six in the evening, and then again at two in the\nmorning if awake\n"
            "- write down the names of the ships that pass, and the colour of the\nsky\n")
    assert unwrap(text) == text.replace("the\n", "the ")


def test_narrow_lines_are_joined_if_they_read_as_a_sentence():
    assert unwrap("Costs fell\nslightly.\n") == "Costs fell slightly.\n"
    assert unwrap("Costs fell\nslightly.\n", cased=False) == "Costs fell\nslightly.\n"
    assert unwrap("Costs fell.\nslightly.\n") == "Costs fell.\nslightly.\n"
    assert unwrap("Costs fell\nSlightly.\n") == "Costs fell\nSlightly.\n"
    assert unwrap("Costs fell\nslightly\n") == "Costs fell\nslightly\n"


def test_a_french_semicolon_ends_no_statement():
    text = "Les mots de passe du capitaine ne peuvent être séparés que par des virgules ;\naucun espace ne doit s'intercaler entre eux.\n"
    assert unwrap(text) == text.replace("\n", " ", 1)


def test_blank_lines_stay():
    text = "\n\n" + wrapped(PARAGRAPHS[0]) + "\n\n\n" + wrapped(PARAGRAPHS[1])
    assert unwrap(text) == "\n\n" + PARAGRAPHS[0] + "\n\n\n" + PARAGRAPHS[1]


def test_words_split_by_a_hyphen_become_whole_on_request():
    text = "a clockwork that the keeper winds at six in the evening, with much patience, inter-\nnational as it is\n"
    assert unwrap(text) == text.replace("\n", " ", 1)
    assert unwrap(text, join_hyphens=True) == text.replace("-\n", "")
    short = "the inter-\nnational market\n"
    assert run("norm", "--join-hyphens", input=short.encode()) == b"the international market\n"
    assert unwrap(short) == short
    number = text.replace("inter-\nnational", "1914-\n1918")
    assert unwrap(number, join_hyphens=True) == number.replace("\n", " ", 1)


def test_no_space_comes_between_east_asian_characters():
    text = "港の灯台は一八七一年に外の壁の上に置かれた。最初は油、次はガス、\nそれから一週間だけウイスキーで燃えた。\n"
    assert unwrap(text) == text.replace("\n", "", 1)


def test_a_run_of_very_many_lines_is_no_paragraph():
    line = "it has been raining since the morning, and it will rain in the evening too\nand "
    assert unwrap(line * (MOST // 2 - 1) + "on.\n").count("\n") == 1
    long_run = line * MOST + "on.\n"
    assert unwrap(long_run) == long_run


def test_what_a_dropped_line_held_apart_is_joined_at_once():
    text = ("* * *\nThe harbour at Great Wick was built in the year of the long winter, when\n* * *\n"
            "there was nothing else to do, by men who had never built one.\n").encode()
    once = run("norm", "--unwrap", "--dedup", input=text)
    assert once == b"* * *\n" + text[6:].replace(b"\n* * *\n", b" ")
    assert run("norm", "--unwrap", "--dedup", "--check", input=once) == once


def test_columns_that_collapse_takes_do_not_count():
    """Else a second pass, which does not see them, would join the lines."""
    text = b"The harbour   at Great Wick was built in the year of the long winter, when\nthere was nothing else to do.\n"
    once = run("norm", "--only", "unwrap,collapse", input=text)
    assert once == text.replace(b"\n", b" ", 1).replace(b"   ", b" ")
    assert run("norm", "--only", "unwrap", input=text) == text
