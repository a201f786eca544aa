"""The syntax of RE2, which Prometheus compiles its regular expressions with (Go's regexp/syntax, Perl flags).

The parser's own engine is another one: it takes what RE2 refuses (`a**`, `(?x)`) and refuses what RE2 takes (`\\Q..\\E`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from gpuobs.promql.functions import names

# First version built with Go 1.22, which reads (?<name>...), newer scripts and \Q without \E.
_NEWER_GO = (2, 51)
_MAX_REPEAT = 1000
_MAX_NESTING = 250
_PLAIN = re.compile(r"(?:[A-Za-z0-9_:/ ,=@#%&~;<>\"'-]|\\[.dws-]|\.[*+]?|\|)*")
_REPEAT = re.compile(r"\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}")
_FLAGS = re.compile(r"\(\?(?:[imsU]*)(?:-[imsU]+)?([:)])")
_NAMED = re.compile(r"\(\?(P?)<([A-Za-z0-9_]+)>")
_ESCAPE = re.compile(
    r"\\(?:[0-7]{2,3}|0|x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]+\}|[afnrtv]|[^A-Za-z0-9\u0080-\U0010ffff])",
    re.DOTALL,
)
# What takes no character and holds at both ends of the empty text.
_EMPTY = frozenset({"^", "$", "\\A", "\\z", "\\B"})
_UNICODE = re.compile(r"\\[pP](?:\{\^?([^}]*)\}|(.))")
_POSIX = re.compile(r"\[:\^?([^\]]*?):\]")
_POSIX_NAMES = names(
    "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit"
)
_CATEGORIES = names(
    "Any C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs"
)
_SCRIPTS = names(
    "Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki "
    "Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee "
    "Chorasmian Common Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan "
    "Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi "
    "Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited "
    "Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kayah_Li Kharoshthi "
    "Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani "
    "Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui "
    "Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari New_Tai_Lue "
    "Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic "
    "Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau "
    "Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting "
    "Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet "
    "Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Ugaritic Vai Wancho Warang_Citi Yezidi Yi "
    "Zanabazar_Square"
)
# Unicode 14 and 15, which came with Go 1.21.
_NEW_SCRIPTS = names("Cypro_Minoan Kawi Nag_Mundari Old_Uyghur Tangsa Toto Vithkuqi")


class _PatternError(Exception):
    """Leaves the check at the first thing that RE2 refuses."""


# Patterns that Python's engine reads as RE2 does, and that it cannot be slow on.
_TAME = re.compile(
    r"""(?:[A-Za-z0-9_:/ ,=@#%&~;<>"'|.*+?)-]|\((?:\?:)?(?!\?)|\\[.dwDW/:+*?()|\[\]{}^$-]"""
    r"""|\[\^?(?:[A-Za-z0-9_:/ ,=@#%;<>.*+?()"'-](?<!--)|\\[.dw-])+\])*"""
)
_REPEATED_GROUP = re.compile(r"\)[*+]|[*+?][*+]|[*+?]\?[*+?]")
_MOST_REPEATS = 4
_LONGEST = 500


@lru_cache(maxsize=4096)
def anchored(pattern: str) -> re.Pattern[str] | None:
    """The pattern for Python, to be matched against whole values; None where it is not sure to mean the same."""
    inside = pattern.removeprefix("^")
    if inside.endswith("$") and not inside.endswith("\\$"):
        inside = inside[:-1]
    repeats = sum(map(inside.count, "*+?")) - inside.count("(?:")
    if len(pattern) > _LONGEST or repeats > _MOST_REPEATS:
        return None
    if not _TAME.fullmatch(inside) or _REPEATED_GROUP.search(inside):
        return None
    try:
        return re.compile(inside, re.DOTALL | re.ASCII)
    except re.error:
        return None


@lru_cache(maxsize=4096)
def problem(pattern: str, version: tuple[int, int]) -> str:
    """What RE2 refuses in a pattern; empty where it compiles."""
    if _PLAIN.fullmatch(pattern):
        return ""
    try:
        _Pattern(pattern, version).check()
    except _PatternError as wrong:
        return str(wrong)
    return ""


def matches_empty(pattern: str) -> bool:
    """Whether a pattern that compiles takes the empty text."""
    checked = _Pattern(pattern, _NEWER_GO)
    checked.check()
    return checked.empty()


class _Pattern:
    """One pass over a pattern. `_copies` is how often the last item is compiled, by the repeat counts inside it.

    Whether the empty text matches is kept for the last item, for what stands before it in its alternative, and for
    the alternatives before that.
    """

    def __init__(self, pattern: str, version: tuple[int, int]) -> None:
        self._pattern = pattern
        self._version = version
        self._at = 0
        self._repeatable = False
        self._copies = 1
        self._most = 1
        self._last = self._before = True
        self._other = False
        # For each open group: what holds of the text before it.
        self._groups: list[tuple[int, bool, bool]] = []

    def check(self) -> None:
        repeated = False
        while self._at < len(self._pattern):
            start = self._at
            is_repeat = self._step(self._pattern[self._at], repeated)
            if is_repeat and repeated:
                raise _PatternError(f"'{self._pattern[start - 1 : self._at]}' repeats a repetition")
            repeated = is_repeat
        if self._groups:
            raise _PatternError("a '(' is not closed")

    def empty(self) -> bool:
        """Whether the innermost open group, or the whole, takes the empty text so far."""
        return self._other or (self._before and self._last)

    def _step(self, character: str, repeated: bool) -> bool:
        """Moves over one item and says whether it was a repetition."""
        if character in "*+?":
            self._at += 1
            self._repeat(1, character, repeated)
            return True
        if character == "{" and (match := _REPEAT.match(self._pattern, self._at)):
            self._at = match.end()
            self._repeat(_count(match), match.group(), repeated)
            return True
        if character == "(":
            self._open()
        elif character == ")":
            self._close()
        elif character == "|":
            self._at += 1
            self._repeatable = False
            self._other = self.empty()
            self._last = self._before = True
        else:
            self._item(character)
        return False

    def _item(self, character: str) -> None:
        start = self._at
        if character == "\\":
            if not self._escape():
                return
        elif character == "[":
            self._class()
        else:
            self._at += 1
        self._repeatable = True
        self._copies = 1
        self._before = self._before and self._last
        self._last = self._pattern[start : self._at] in _EMPTY

    def _repeat(self, count: int, written: str, repeated: bool) -> None:
        if self._pattern.startswith("?", self._at):
            self._at += 1
        if repeated:
            return
        if not self._repeatable:
            raise _PatternError(f"'{written}' repeats nothing")
        if count > 1 and count * self._copies > _MAX_REPEAT:
            raise _PatternError(
                f"the repeat count '{written}' makes more than {_MAX_REPEAT} copies"
            )
        self._last = self._last or written in "*?" or written.startswith("{0")
        self._copies = self._copies * count if count else 1
        self._most = max(self._most, self._copies)

    def _open(self) -> None:
        opened = True
        if self._pattern.startswith("(?", self._at):
            flags, named = (
                _FLAGS.match(self._pattern, self._at),
                _NAMED.match(self._pattern, self._at),
            )
            if named is not None and (named[1] or self._version >= _NEWER_GO):
                self._at = named.end()
            elif named is not None:
                raise _PatternError(f"named groups are written (?P<{named[2]}>...) before 2.51")
            elif flags is not None:
                self._at = flags.end()
                opened = flags[1] == ":"
            else:
                raise _PatternError(f"RE2 has no '{self._pattern[self._at : self._at + 3]}'")
        else:
            self._at += 1
        if opened:
            self._groups.append((self._most, self._before and self._last, self._other))
            self._most = 1
            self._last = self._before = True
            self._repeatable = self._other = False
        if len(self._groups) > _MAX_NESTING:
            raise _PatternError("it nests too deeply")

    def _close(self) -> None:
        if not self._groups:
            raise _PatternError("a ')' closes nothing")
        self._at += 1
        self._copies, self._last = self._most, self.empty()
        most, self._before, self._other = self._groups.pop()
        self._most = max(self._most, most)
        self._repeatable = True

    def _escape(self) -> bool:
        """Moves over a backslash outside a class, and says whether that gave something to repeat."""
        following = self._pattern[self._at + 1 : self._at + 2]
        if following == "Q":
            return self._quoted()
        if following and following in "AbBz":
            self._at += 2
        elif not self._shorthand():
            self._character()
        return True

    def _quoted(self) -> bool:
        r"""Moves from \Q behind \E; a repetition then takes the last character between them, if any."""
        start = self._at + 2
        end = self._pattern.find("\\E", start)
        if end < 0 and self._version < _NEWER_GO:
            raise _PatternError("'\\Q' needs its '\\E' before 2.51")
        self._at = len(self._pattern) if end < 0 else end + 2
        length = (len(self._pattern) if end < 0 else end) - start
        self._before = self._before and length < 2
        return length > 0

    def _shorthand(self) -> bool:
        r"""Moves over \d and its like or a Unicode class, where one stands here."""
        following = self._pattern[self._at + 1 : self._at + 2]
        if following and following in "dDsSwW":
            self._at += 2
            return True
        if not following or following not in "pP":
            return False
        match = _UNICODE.match(self._pattern, self._at)
        name = (match[1] or match[2]) if match else ""
        if name not in _CATEGORIES and name not in _SCRIPTS and not self._newer(name):
            raise _PatternError(
                f"'{match.group() if match else self._pattern[self._at :]}' is no Unicode class of RE2"
            )
        assert match is not None
        self._at = match.end()
        return True

    def _newer(self, name: str) -> bool:
        return name in _NEW_SCRIPTS and self._version >= _NEWER_GO

    def _character(self) -> str:
        """Moves over one character, escaped or not; the character, for ranges."""
        if self._at >= len(self._pattern):
            raise _PatternError("a '[' is not closed")
        if self._pattern[self._at] != "\\":
            self._at += 1
            return self._pattern[self._at - 1]
        match = _ESCAPE.match(self._pattern, self._at)
        if match is None:
            written = self._pattern[self._at : self._at + 2]
            raise _PatternError(
                f"RE2 has no '{written}'" if written != "\\" else "it ends with a backslash"
            )
        self._at = match.end()
        return _escaped(match.group())

    def _class(self) -> None:
        self._at += 2 if self._pattern.startswith("[^", self._at) else 1
        first = True
        while first or not self._pattern.startswith("]", self._at):
            first = False
            posix = _POSIX.match(self._pattern, self._at)
            if posix is not None:
                if posix[1] not in _POSIX_NAMES:
                    raise _PatternError(f"there is no class '{posix.group()}'")
                self._at = posix.end()
                continue
            if self._pattern.startswith("\\", self._at) and self._shorthand():
                continue
            self._range()
        self._at += 1

    def _range(self) -> None:
        start = self._at
        low = self._character()
        if self._pattern.startswith("-", self._at) and self._pattern[
            self._at + 1 : self._at + 2
        ] not in ("", "]"):
            self._at += 1
            if self._character() < low:
                raise _PatternError(
                    f"the range '{self._pattern[start : self._at]}' is the wrong way round"
                )


def _repeat(digits: str) -> int:
    return int(digits) if len(digits) < 9 else _MAX_REPEAT + 1


def _count(match: re.Match[str]) -> int:
    """How many copies a counted repetition makes."""
    low = _repeat(match[1])
    high = _repeat(match[3]) if match[3] else (None if match[2] else low)
    if max(low, high or 0) > _MAX_REPEAT:
        raise _PatternError(f"the repeat count '{match.group()}' is above {_MAX_REPEAT}")
    if high is not None and low > high:
        raise _PatternError(f"the repeat count '{match.group()}' falls")
    return low if high is None else high


def _escaped(text: str) -> str:
    simple = {"\\a": "\a", "\\f": "\f", "\\n": "\n", "\\r": "\r", "\\t": "\t", "\\v": "\v"}
    if text in simple:
        return simple[text]
    if text[1] == "x":
        number = int(text[2:].strip("{}"), 16)
        if number > 0x10FFFF:
            raise _PatternError(f"'{text}' is no character")
        return chr(number)
    return chr(int(text[1:], 8)) if text[1:].isdigit() else text[1]
