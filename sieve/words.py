"""Words, as Unicode has them: what a shingle is made of.

A word is a run of letters, marks and digits (general categories L, M and N) in simple lower
case. In the scripts that put no spaces between words each character is one, with the marks
on it. Characters that are not seen, which `norm` deletes, are passed over. Bytes that are not
UTF-8 count as letters, so that text in an old encoding has words too.

The tables are those of the version of Unicode in `fold`, whatever Python runs this. A code
point that it leaves unassigned goes with its neighbours where these are of one kind.
"""

import re

from sieve.fold import lowering

# Ranges in hex of categories L, M and N in UnicodeData.txt, without what follows, and without the
# variation selectors, which follow symbols as well.
_SPACED = """
30-39 41-5a 61-7a aa b2-b3 b5 b9-ba bc-be c0-d6 d8-f6 f8-2c1 2c6-2d1 2e0-2e4 2ec 2ee 300-374 376-37d 37f 386
388-3f5 3f7-481 483-559 560-588 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7-5f2 610-61a 620-669 66e-6d3 6d5-6dc 6df-6e8
6ea-6fc 6ff 710-7f5 7fa-7fd 800-82d 840-85b 860-887 889-88e 898-8e1 8e3-963 966-96f 971-9f1 9f4-9f9 9fc
9fe-a75 a81-aef af9-b6f b71-bf2 c00-c6f c78-c7e c80-c83 c85-d4e d54-d78 d7a-df3 f00 f18-f19 f20-f33 f35 f37
f39 f3e-f84 f86-fbc fc6 10a0-10fa 10fc-135f 1369-138f 13a0-13fd 1401-166c 166f-167f 1681-169a 16a0-16ea
16ee-1734 1740-1773 180b-180d 180f-193b 1946-194f 1a00-1a1b 1ab0-1b59 1b6b-1b73 1b80-1bf3 1c00-1c37
1c40-1c7d 1c80-1cbf 1cd0-1cd2 1cd4-1fbc 1fbe 1fc2-1fcc 1fd0-1fdb 1fe0-1fec 1ff2-1ffc 2070-2079 207f-2089
2090-209c 20d0-20f0 2102 2107 210a-2113 2115 2119-211d 2124 2126 2128 212a-212d 212f-2139 213c-213f
2145-2149 214e 2150-2189 2460-249b 24ea-24ff 2776-2793 2c00-2ce4 2ceb-2cf3 2cfd 2d00-2d6f 2d7f-2dff 2e2f
3131-318e 3192-3195 3220-3229 3248-324f 3251-325f 3280-3289 32b1-32bf a4d0-a4fd a500-a60c a610-a672
a674-a67d a67f-a6f1 a717-a71f a722-a788 a78b-a827 a82c-a835 a840-a873 a880-a8c5 a8d0-a8f7 a8fb a8fd-a92d
a930-a953 a960-a9c0 a9cf-a9d9 aa00-aa59 aae0-aaef aaf2-ab5a ab5c-ab69 ab70-abea abec-d7fb fb00-fb28
fb2a-fbb1 fbd3-fd3d fd50-fdc7 fdf0-fdfb fe20-fe2f fe70-fefc ff10-ff19 ff21-ff3a ff41-ff5a ffa0-ffdc
10000-100fa 10107-10133 10140-10178 1018a-1018b 101fd-1039d 103a0-103cf 103d1-10563 10570-10855 10858-10876
10879-1091b 10920-10939 10980-10a48 10a60-10a7e 10a80-10ac7 10ac9-10aef 10b00-10b35 10b40-10b91 10ba9-10eac
10eb0-10f54 10f70-10f85 10fb0-11046 11052-110ba 110c2 110d0-1113f 11144-11173 11176-111c4 111c9-111cc
111ce-111da 111dc 111e1-11237 1123e-112a8 112b0-1144a 11450-11459 1145e-114c5 114c7-115c0 115d8-11640
11644-11659 11680-116b8 116c0-116c9 11800-1183a 118a0-11943 11950-119e1 119e3-11a3e 11a47-11a99 11a9d
11ab0-11af8 11c00-11c40 11c50-11c6c 11c72-11ef6 11f00-11f42 11f50-11fd4 12000-1246e 12480-12ff0 13000-1342f
13440-16a69 16a70-16af4 16b00-16b36 16b40-16b43 16b50-16e96 16f00-16f9f 1bc00-1bc99 1bc9d-1bc9e 1cf00-1cf46
1d165-1d169 1d16d-1d172 1d17b-1d182 1d185-1d18b 1d1aa-1d1ad 1d242-1d244 1d2c0-1d2f3 1d360-1d6c0 1d6c2-1d6da
1d6dc-1d6fa 1d6fc-1d714 1d716-1d734 1d736-1d74e 1d750-1d76e 1d770-1d788 1d78a-1d7a8 1d7aa-1d7c2 1d7c4-1d7ff
1da00-1da36 1da3b-1da6c 1da75 1da84 1da9b-1e14e 1e290-1e2f9 1e4d0-1e959 1ec71-1ecab 1ecad-1ecaf 1ecb1-1ed2d
1ed2f-1eebb 1f100-1f10c 1fbf0-1fbf9
"""

# The same in the blocks of scripts without spaces: those that UAX #29 leaves without word breaks of their
# own (line break class SA in LineBreak.txt: Thai, Lao, Myanmar, Khmer, Tai Le, New Tai Lue, Tai Tham, Tai
# Viet, Ahom; ideographs and Hiragana), and their like: Katakana, Bopomofo, Yi, Tangut, Nushu, Khitan.
_UNSPACED = """
e01-e3a e40-e4e e50-e59 e81-edf 1000-1049 1050-109d 1780-17d3 17d7 17dc-17f9 1950-19da 1a20-1a99 1aa7
3005-3007 3021-302f 3031-3035 3038-303c 3041-309a 309d-309f 30a1-30fa 30fc-312f 31a0-31bf 31f0-31ff
3400-4dbf 4e00-a48c a9e0-a9fe aa60-aa76 aa7a-aadd f900-fad9 ff66-ff9f 11700-1173b 11740-11746 16fe0-16fe1
16fe3-1b2fb 20000-323af
"""

# The marks (category M) among those.
_MARKS = """
e31 e34-e3a e47-e4e eb1 eb4-ebc ec8-ece 102b-103e 1056-1059 105e-1060 1062-1064 1067-106d 1071-1074
1082-108d 108f 109a-109d 17b4-17d3 17dd 1a55-1a7f 302a-302f 3099-309a a9e5 aa7b-aa7d aab0 aab2-aab4
aab7-aab8 aabe-aabf aac1 1171d-1172b 16fe4-16ff1
"""

_INVISIBLE = "\u00ad\u200b\u200c\u200d\ufeff"
_UNDECODABLE = " dc80-dcff"  # as 'surrogateescape' decodes them
_ASCII = bytes(c + 32 if 65 <= c <= 90 else c if chr(c).isalnum() and c < 128 else 32 for c in range(256))


def words(text):
    """The words of `text` (bytes) in lower case, as a list of bytes."""
    if text.isascii():
        return text.translate(_ASCII).split()
    text = text.decode("utf-8", "surrogateescape")
    for char in _INVISIBLE:
        text = text.replace(char, "")
    pattern, lower = _tables()
    return " ".join(pattern.findall(text.translate(lower))).encode("utf-8", "surrogateescape").split()


def _tables(made=[]):
    """The pattern of a word and the table of small letters, made when they are first needed."""
    if not made:
        word, character, mark = map(_class, (_SPACED + _UNDECODABLE, _UNSPACED, _MARKS))
        made += [re.compile(f"{word}+|{character}{mark}*"), lowering()]
    return made


def _class(ranges):
    """The regular expression for one character in `ranges`."""
    basic, beyond = [], []
    for ends in ranges.split():
        first, _, last = ends.partition("-")
        (beyond if len(first) > 4 else basic).append(rf"\U{first:0>8}-\U{last or first:0>8}")
    # Beyond U+FFFF `re` tries range after range, which the look-ahead spares all other characters.
    return rf"(?:[{''.join(basic)}]|(?=[\U00010000-\U0010ffff])[{''.join(beyond)}])"
