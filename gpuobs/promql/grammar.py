"""PromQL's grammar and types as Prometheus has them at one version: what it refuses, and the token that breaks.

promql_parser, which builds the tree, knows one version, gives no positions, and accepts what older versions and RE2
refuse. So the grammar decides and the parser only builds. From promql/parser/generated_parser.y and parse.go.
"""

from __future__ import annotations

from dataclasses import replace

from gpuobs.promql import functions, quantity
from gpuobs.promql.cursor import Cursor, GrammarError, dotted, strange, unsupported, words, wrong
from gpuobs.promql.functions import MATRIX, SCALAR, STRING, VECTOR
from gpuobs.promql.lexer import Token
from gpuobs.promql.nodes import Aggregate, Call, Number, Paren, Select, String, Subquery, Window
from gpuobs.promql.operands import (
    ARTICLE,
    COMPARISONS,
    SETS,
    Operand,
    Operator,
    apply,
    are,
    expect,
    miscounted,
)
from gpuobs.promql.refused import Refused
from gpuobs.promql.selecting import Grouping, grouping, selector, string

_POWER = {"or": 1, "and": 2, "unless": 2} | dict.fromkeys(COMPARISONS, 3)
_POWER |= {"+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "atan2": 5, "^": 6}
# A sign binds like `*`: -a ^ b is -(a ^ b), and -a * b is (-a) * b.
_SIGN_POWER = 5
_NO_METRIC = frozenset({"bool", "on", "ignoring", "group_left", "group_right", "atan2"})


def read(text: str, stream: tuple[Token, ...], version: tuple[int, int]) -> Operand | Refused:
    """The expression's type and tree, or why Prometheus of this version refuses it."""
    grammar = _Grammar(text, stream, version)
    try:
        return grammar.whole()
    except GrammarError as problem:
        return problem.refused


class _Grammar(Cursor):
    def whole(self) -> Operand:
        if self.token.kind == "end":
            raise wrong(self.token._replace(start=0), "the expression is empty")
        operand = self.expression()
        if self.token.kind != "end":
            self._after()
        return operand

    def expression(self) -> Operand:
        """Operands and operators by their power, with a stack of each in place of recursion."""
        operands: list[Operand] = []
        pending: list[Operator] = []
        while True:
            while self.token.text in ("+", "-"):
                pending.append(Operator(self.advance(), _SIGN_POWER, sign=True))
            operands.append(self._operand())
            power = _POWER.get(self.token.text.lower(), 0)
            while pending and (pending[-1].power > power or (pending[-1].power == power != 6)):
                apply(pending.pop(), operands)
            if not power:
                return operands[0]
            pending.append(self._operator(power))

    def _operator(self, power: int) -> Operator:
        token = self.advance()
        with_bool = matching = group = None
        if self.token.kind == "word" and words(self.token):
            if self.token.text.lower() == "bool":
                with_bool = self.advance()
            if self.token.text.lower() in ("on", "ignoring"):
                matching = self._grouping()
                if self.token.text.lower() in ("group_left", "group_right"):
                    group = self._group()
        return Operator(token, power, False, with_bool, matching, group)

    def _grouping(self) -> Grouping:
        return grouping(self, self.advance())

    def _group(self) -> Grouping:
        if self.following().text == "(":
            return self._grouping()
        token = self.advance()
        return Grouping(token.text.lower(), (), token.start, token.end)

    def _operand(self) -> Operand:
        operand = self._atom()
        while True:
            text = self.token.text
            if text == "[":
                operand = self._window(operand)
            elif text == "@":
                operand = self._at(operand)
            elif self.token.kind == "word" and text.lower() == "offset":
                operand = self._offset(operand)
            else:
                return operand

    def _window(self, operand: Operand) -> Operand:
        opened = self.advance()
        if "#" in self.text[opened.end : self.token.start]:
            raise wrong(opened, "a comment stands behind '['", "move it", self.token.start)
        window = self._duration()
        if self.token.kind == "colon":
            self.advance()
            step = self._duration() if self.token.text != "]" else Window(0, 0, 0)
            end = self.close(opened).end
            if operand.type != VECTOR:
                message = f"a subquery needs an instant vector, and this is {ARTICLE[operand.type]}"
                raise wrong(opened._replace(start=operand.start), message, "", operand.end)
            window = replace(window, step=step.seconds, step_start=step.start, step_end=step.end)
            return Operand(MATRIX, Subquery(operand.start, end, operand.node, window))
        end = self.close(opened).end
        node = operand.node
        if not isinstance(node, Select) or node.window is not None:
            hint = "write a subquery, such as [5m:1m]" if operand.type == VECTOR else ""
            raise wrong(opened, "a range can only stand behind a metric", hint, end)
        if node.offset is not None or operand.at == "@":
            raise wrong(
                opened, "a range stands before 'offset' and '@'", "move it before them", end
            )
        return replace(operand, type=MATRIX, node=replace(node, end=end, window=window))

    def _duration(self) -> Window:
        start = self.token.start
        seconds = quantity.duration(self)
        return Window(seconds, start, self._end())

    def _modifiable(self, operand: Operand, keyword: Token) -> Select | Subquery:
        node = operand.node
        if not isinstance(node, Select | Subquery):
            message = f"'{keyword.text}' can only stand behind a metric, its range or a subquery"
            raise wrong(keyword, message, "move it to the metric")
        return node

    def _offset(self, operand: Operand) -> Operand:
        keyword = self.advance()
        seconds = quantity.offset(self)
        node = self._modifiable(operand, keyword)
        if node.offset is not None:
            raise wrong(keyword, "'offset' stands twice", "keep one")
        return replace(operand, node=replace(node, offset=seconds, end=self._end()))

    def _at(self, operand: Operand) -> Operand:
        keyword = self.advance()
        # Prometheus refuses a range behind `@ 5`, and takes one behind `@ end()`.
        at = "()" if self.token.kind == "word" else "@"
        quantity.time(self)
        node = self._modifiable(operand, keyword)
        if operand.at:
            raise wrong(keyword, "'@' stands twice", "keep one")
        return replace(operand, at=at, node=replace(node, at=True, end=self._end()))

    def _end(self) -> int:
        before = self.previous()
        return before.end if before is not None else 0

    def _atom(self) -> Operand:
        token = self.token
        if token.kind == "word":
            return self._word(token)
        if token.kind in ("number", "duration"):
            value = quantity.scalar(self)
            duration = token.kind == "duration"
            return Operand(SCALAR, Number(token.start, token.end, value, duration))
        if token.kind == "string":
            return Operand(STRING, String(token.start, token.end, string(self.advance())))
        if token.text == "(":
            opened = self.advance()
            inside = self.expression()
            end = self._closed(opened)
            return Operand(inside.type, Paren(opened.start, end, inside.node))
        if token.text == "{":
            return self._selector(None)
        self._no_equals()
        if (
            token.text in ("]", ")")
            and (before := self.previous()) is not None
            and before.text == "("
        ):
            raise wrong(before, "there is nothing between '(' and ')'", "", token.end)
        raise self.unexpected("a metric, a number or a function is missing")

    def _closed(self, opened: Token) -> int:
        if self.token.text != ")" and self.token.kind not in ("end", "bracket"):
            self._after(opened)
        return self.close(opened).end

    def _after(self, opened: Token | None = None) -> None:
        """Refuses what follows an operand and is no operator."""
        token, before = self.token, self.previous()
        self._no_equals()
        if (
            before is not None
            and before.kind == "word"
            and token.kind not in ("operator", "error", "end")
        ):
            if before.text.lower() in functions.AGGREGATIONS and token.text != ")":
                message = f"'{before.text}' needs brackets around what it aggregates"
                raise wrong(before, message, f"write {before.text}(...)")
            if before.text.lower() == "not":
                raise wrong(before, "PromQL has no 'not'", "use 'unless' or '!='")
            if before.text.lower() in SETS and token.text not in (")", ","):
                raise wrong(before, f"'{before.text}' has nothing on its left")
        if opened is not None and token.text.lower() in ("by", "without"):
            self.close(opened)
        if token.kind in ("word", "number", "string", "duration"):
            strange(token)
            if token.text.lower() in ("by", "without"):
                hint = f"only an aggregation such as sum takes '{token.text}', and only one"
                raise wrong(token, f"'{token.text}' has no place here", hint)
            if words(token) and token.text.lower() not in ("inf", "nan"):
                raise wrong(token, f"'{token.text}' has no place here")
            hint = "an operator, 'and' or a comma is missing before it"
            raise wrong(token, f"'{token.text}' follows without an operator", hint)
        raise self.unexpected()

    def _no_equals(self) -> None:
        token, after = self.token, self.following()
        if token.text != "=" or token.kind != "operator":
            return
        before = self.previous()
        if before is not None and before.text in ("==", "!=") and before.end == token.start:
            message = f"PromQL has no '{before.text}='"
            raise wrong(before, message, f"use '{before.text}'", token.end)
        if after.text in (">", "<") and after.start == token.end:
            raise wrong(token, f"PromQL has no '={after.text}'", f"use '{after.text}='", after.end)
        raise wrong(token, "'=' compares nothing outside braces", "use '=='")

    def _selector(self, name: Token | None) -> Operand:
        found = selector(self, name)
        return Operand(VECTOR, Select(found.start, found.end, found))

    def _word(self, token: Token) -> Operand:
        word = token.text.lower()
        after = self.following()
        if word in ("inf", "nan"):
            self.advance()
            return Operand(SCALAR, Number(token.start, token.end, float(word)))
        if (after.text == "(" and after.kind == "bracket") or after.text.lower() in (
            "by",
            "without",
        ):
            if word in functions.AGGREGATIONS:
                return self._aggregation(functions.AGGREGATIONS[word])
            if word in functions.EXPERIMENTAL:
                self._available(token)
            if after.text == "(" and ":" not in token.text and not words(token):
                return self._function()
        if word in _NO_METRIC or (words(token) and after.text == "("):
            raise self.unexpected("a metric, a number or a function is missing")
        self.advance()
        return self._selector(token)

    def _arguments(self) -> tuple[list[Operand], int]:
        """The arguments in brackets, and the offset behind them."""
        opened = self.advance()
        arguments: list[Operand] = []
        while self.token.text != ")":
            arguments.append(self.expression())
            if self.token.text != ",":
                break
            comma = self.advance()
            if self.token.text == ")":
                raise wrong(comma, "a comma stands behind the last argument", "remove it")
        if self.token.text != ")" and arguments:
            return arguments, self._closed(opened)
        return arguments, self.close(opened).end

    def _aggregation(self, parameter: str | None) -> Operand:
        name = self.advance()
        grouped = None
        if self.token.text.lower() in ("by", "without"):
            grouped = self._grouping()
        if self.token.text != "(":
            strange(self.token)
            raise wrong(
                name,
                f"'{name.text}' needs brackets around what it aggregates",
                f"write {name.text}(...)",
            )
        arguments, end = self._arguments()
        if grouped is None and self.token.text.lower() in ("by", "without"):
            grouped = self._grouping()
            end = self._end()
        wanted = (VECTOR,) if parameter is None else (parameter, VECTOR)
        if len(arguments) != len(wanted):
            count = "1 argument" if len(wanted) == 1 else "a parameter and a vector"
            miscounted(name, arguments, len(wanted), f"'{name.text}' takes {count}")
        for argument, type_ in zip(arguments, wanted, strict=True):
            expect(argument, type_, name)
        first = arguments[0].node if parameter is not None else None
        node = Aggregate(name.start, end, name, first, arguments[-1].node, grouped)
        return Operand(VECTOR, node)

    def _function(self) -> Operand:
        name = self.advance()
        self._available(name)
        signature = functions.FUNCTIONS[name.text]
        arguments, end = self._arguments()
        if len(arguments) < signature.least:
            least = signature.least
            few = "" if least == signature.most else "at least "
            message = f"'{name.text}' takes {few}{least} argument{'s' * (least != 1)}, and here {are(len(arguments))}"
            raise wrong(name, message)
        if signature.most is not None and len(arguments) > signature.most:
            most = signature.most
            miscounted(
                name,
                arguments,
                most,
                f"'{name.text}' takes {most or 'no'} argument{'s' * (most != 1)}",
            )
        for index, argument in enumerate(arguments):
            expect(argument, signature.arguments[min(index, len(signature.arguments) - 1)], name)
        node = Call(name.start, end, name, tuple(argument.node for argument in arguments))
        return Operand(signature.result, node)

    def _available(self, token: Token) -> None:
        name, declared = token.text, dotted(self.version)
        if name in functions.SINCE and self.version < functions.SINCE[name]:
            since = dotted(functions.SINCE[name])
            message = f"'{name}' needs Prometheus {since}, and the fleet declares {declared}"
            raise unsupported(token, message, f"prometheusVersion: '{since}'")
        if name in functions.REMOVED and self.version >= functions.REMOVED[name]:
            raise unsupported(token, f"Prometheus {declared} no longer has '{name}'")
        if name.lower() in functions.EXPERIMENTAL:
            raise unsupported(token, f"'{name}' is experimental: Prometheus refuses it by default")
        if name.lower() in functions.NEWER:
            raise unsupported(token, f"'{name}' is in no Prometheus up to 3.5")
        if name not in functions.FUNCTIONS:
            from gpuobs.nearest import nearest

            match = nearest(name, functions.known())
            raise wrong(token, f"no function '{name}'", f"did you mean '{match}'?" if match else "")
