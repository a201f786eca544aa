"""The words that expressions are written with: what Prometheus takes, what some version takes, and what none does."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from gpuobs.promql import functions

KEYWORDS = (
    *sorted(functions.KEYWORDS),
    *"start end smoothed anchored fill step AND Or oFFset Inf NaN NAN ON BY Bool ATAN2".split(),
)
METRICS = "foo bar up a:b :a a: _ foo:bar:sum DCGM_FI_DEV_GPU_TEMP e e5 x1 m s d inf_ s1m".split()
LABELS = "a b gpu Hostname le __name__ _ a1".split()
AGGREGATIONS = (*sorted(functions.AGGREGATIONS), "SUM", "Count_Values")
STRANGE_AGGREGATIONS = ("limitk", "limit_ratio", "median", "Limitk")
FUNCTIONS = tuple(sorted(functions.FUNCTIONS))
STRANGE_FUNCTIONS = (
    *sorted(functions.EXPERIMENTAL | functions.NEWER),
    *"RATE Sum_over_time rte a:b not inf scalar:x histogram_trim_upper".split(),
)
ARITHMETIC = "+ - * / % ^ atan2".split()
COMPARISONS = "== != < > <= >=".split()
SETS = "and or unless".split()
STRANGE_OPERATORS = "= =~ !~ && || ! not ATAN2 UNLESS <> => === ** //".split()

_UNITS = "ms s m h d w y".split()
_NUMBERS = (
    "0 1 5 300 0.5 .5 5. 1e3 1E-3 1e+5 .5e1 010 08 09.5 0x1F 0XaB 1_000 1_0.0_1 0x_1F 0x1_F 1e1_0 Inf nan"
).split()
_STRANGE_NUMBERS = (
    "1e 1e+ 1_ 1__0 _1 1_.5 1._5 1.5.2 0x 0xg 0x1.8 0x1p4 0xee 0xeee 0x1e5 0x1e+5 0xe+1 0xe 0b1 0o7 0_8 08_1 0_7 "
    "1e400 1e308 99999999999999999999 0x7fffffffffffffff 0x8000000000000000 0xFFFFFFFFFFFFFFFFFF 1Ki 1k 5x 1e5e5 "
    "1e5.5 .e5 ... .. . 5.m 1e5m 0x5m 1.5m 00 0777 0888 1e-400 9e15 9223372036854775807 9223372036 9223372037 "
    "1_000_ 1e_5 0X_ 0x__1 ٣ 1٣"
).split()
_STRANGE_DURATIONS = (
    "0s 0ms 0y 0h0m 0m 00s 5M 5sm 1m1h 1m1m 5m30 5 m 1ms1s 1y1y 292y 293y 300y 106751d 106752d 15250w 9223372036s "
    "9223372037s 9223372036854ms 9223372036855ms 99999999999999999999y 05m 1h_ 1hs 1ys 1y2w3d4h5m6s7ms 1s1ms 1mss "
    "5min 5mx 1d12 1h1.5m 1_0m 5m_ 2562047h 2562048h 18446744073709551616s"
).split()
_CHARACTERS: tuple[str, ...] = (
    *'abz09_:-. ;/*+?|()[]{}^$#@%&<>=,!~"',
    *"'`",
    *(
        "é",
        "日",
        "\u200b",
        "\ufffd",
        "\U0001f642",
        "\t",
        "\x00",
        "\x7f",
        "\x0b",
        "\r",
        "\u2028",
        "\ufeff",
    ),
)
_ESCAPES = (
    "\\n \\t \\a \\b \\f \\r \\v \\\\ \\x41 \\xff \\101 \\377 \\u00e9 \\U0001F642 \\000 \\u0000 \\x00"
).split()
_STRANGE_ESCAPES = (
    "\\q \\d \\. \\' \\\" \\` \\x4 \\xg1 \\777 \\400 \\8 \\08 \\1 \\12 \\u12 \\ud800 \\udfff \\U00110000 \\U0010FFFF \\U123 "
    "\\X41 \\e \\ufffd \\$ \\- \\w \\é \\\n"
).split(" ")
_ATOMS = (
    r"a b gpu-[0-9]+ . .* .+ x|y [abc] [^a-z] \d \w+ \s \D \b \B \A \z ^ $ \. \- \/ a{2} a{2,} a{2,3} (a|b) (?:a) "
    r"(?i)a (?i:a) (?P<n>a) [[:alpha:]] [^[:^digit:]x] \pL \p{Greek} \PN \p{^Lu} \x41 \x{1F642} \t \n \Q.*\E [\d-z] []a] [^]] "
    r"[a-] [-a] [\]] [[] a?? a*? a+? a{2}? \101 \07 \0 {a} {{.}} a{ a{,2} a{} () (|) (a|) (|a) | || é 日+ [é-ü] \C \_ \é [\-] "
    r"\~ \# [&&] [a&&b] [a~~b] (?s) (?m)^ (?U)a+ (?-s). (?i-s:a) (?im)a \a \f \v \r [\a-\r] [\x00-\x{10FFFF}] \Qa \Q\E \Q"
).split()
_STRANGE_ATOMS = (
    r"* + ? a** a++ a*+ a??? a{2}{3} {2} a{1001} a{1000} a{1,1000} (a{1000}){2} (a{30}){40} (a{10}){100} a{3,2} ( ) [ [a [] [^] "
    r"[z-a] [a--b] [a-\d] (?=a) (?!a) (?<=a) (?<!a) (?<n>a) (?P=n) (?P<1>a) (?P<>a) (?P<a.b>a) (?P<n>a)(?P<n>b) (?x)a (?u)a (?R) (?#c) "
    r"(?>a) a)(b \ \c \e \u0041 \p \p{ \p{X} \p{Script=Greek} \p{Alphabetic} \pX \z* \b+ ^* $* \Z \G \K \1 \8 \g \k<n> \h "
    r"\x \x{ \x{110000} \x{} \xg [[:foo:]] [[:alpha] [:alpha:] [[.a.]] [[=a=]] (?) (?i (?-) (?i-) (?i-)a (?-i-s) (?ii)a (?z) (?:a (?i)* (?:)* "
    r"(*) (|*) |* a|* (?i)(?:)+ \E \Q\Ea* \p{L \p{Any} \p{L}{2} \p{IsGreek} \p{greek} \p{Latin}+ \pN* [\pN] [\p{X}] [\Q] [\E] \x{d800} \377 \400 "
    r"a{0} a{0,0} a{0}{2} (a*)* (a*)+ ((a)) a{01} a{1,02} x{-1} x{+1} x{1,2,3} (?P<é>a) (?P<n a"
).split()


def number(random: Random, strange: float) -> str:
    if random.random() < strange:
        return random.choice(_STRANGE_NUMBERS)
    if random.random() < 0.5:
        return random.choice(_NUMBERS)
    return str(random.choice([random.randrange(10), random.randrange(10_000), random.random()]))


def duration(random: Random, strange: float) -> str:
    chance = random.random()
    if chance < strange / 2:
        return random.choice(_STRANGE_DURATIONS)
    if chance < strange:
        return "".join(
            random.choice(["0", "1", "05", "90"]) + random.choice([*_UNITS, "S", "", "H"])
            for _ in range(random.randint(1, 3))
        )
    units = sorted(random.sample(range(len(_UNITS)), random.choice([1, 1, 1, 2, 3])), reverse=True)
    return "".join(f"{random.randint(1, 90)}{_UNITS[unit]}" for unit in units)


def string(random: Random, strange: float) -> str:
    """A literal of one of the three kinds, with escapes that suit its quotes or do not."""
    quote = random.choice('"""\'`')
    parts = [_piece(random, quote, strange) for _ in range(random.choice([0, 1, 1, 2, 3]))]
    closed = random.random() > strange / 10
    return quote + "".join(parts) + (quote if closed else "")


def _piece(random: Random, quote: str, strange: float) -> str:
    chance = random.random()
    if chance < strange:
        return random.choice([*_STRANGE_ESCAPES, *_CHARACTERS, "\n", "\\", quote])
    if chance < 0.4:
        return random.choice([*_ESCAPES, f"\\{quote}"]) if quote != "`" else "\\d"
    if chance < 0.6:
        return random.choice([each for each in _CHARACTERS if each not in (quote, "\ufffd")])
    return random.choice(["", "x", "gpu-0", "$1", "a.b", "__name__"])


def quoted(random: Random, text: str) -> str:
    """A literal whose value is the text."""
    if "`" not in text and random.random() < 0.5:
        return f"`{text}`"
    quote = random.choice("\"'")
    text = text.replace("\\", "\\\\").replace(quote, f"\\{quote}").replace("\n", "\\n")
    return quote + text + quote


def pattern(random: Random, strange: float) -> str:
    """A regular expression, in RE2's dialect or near it."""
    parts = []
    for _ in range(random.choice([0, 1, 1, 1, 2, 3, 5])):
        part = random.choice(_STRANGE_ATOMS if random.random() < strange else _ATOMS)
        chance = random.random()
        if chance < 0.15:
            part = random.choice(["({})", "(?:{})", "(?i:{})", "(|{})"]).replace("{}", part)
        if chance > 0.85:
            part += random.choice(["*", "+", "?", "{2}", "{0,1}", "{3,}", "*?", "{20}", "|"])
        parts.append(part)
    return "".join(parts)


def word(random: Random) -> str:
    """Any word or sign that occurs in expressions, for the place of another."""
    words: tuple[Sequence[str], ...] = (
        KEYWORDS,
        METRICS,
        LABELS,
        AGGREGATIONS,
        FUNCTIONS,
        STRANGE_FUNCTIONS,
        _SIGNS,
    )
    return random.choice(random.choice(words))


_SIGNS = (
    *ARITHMETIC,
    *COMPARISONS,
    *STRANGE_OPERATORS,
    *"( ) [ ] { } , : @ # ; $ . ! ~ & | ? \\ € ' \" `".split(),
)
_SIGNS += (
    "5m",
    "0",
    "1.5",
    '"x"',
    "'a'",
    "`b`",
    "$x",
    "${x}",
    "[[x]]",
    "# c\n",
    "\x00",
    "\f",
    "\xa0",
    "“x”",
    "-",
    "+",
)
