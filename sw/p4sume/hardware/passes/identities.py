# SPDX-License-Identifier: Apache-2.0
"""What an operator gives without computing anything: constants, neutral operands, contradictions.

    x & 0 -> 0     x & ~x -> 0     x & (x | y) -> x     ~x & (x | y) -> ~x & y     x + 0 -> x     x == x -> 1     …

A rule returns a value that stands for the whole operation, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from p4sume.hardware import graph as g
from p4sume.hardware.evaluate import operate as compute
from p4sume.hardware.passes.maker import Maker

_MANY = 64  # literals that are remembered of one and/or
_UNSIGNED = frozenset({"ult", "ule"})
_NEUTRAL_ZERO = frozenset({"add", "sub", "xor", "shl", "lshr", "ashr"})


class Identities(Maker):
    def __init__(self, graph: g.Graph) -> None:
        super().__init__(graph)
        self._constants: set[g.Value] = set()  # constants, and choices among constants alone
        self._literals: dict[tuple[str, g.Value], frozenset[g.Value]] = {}

    def operate(self, operator: str, *taken: g.Value) -> g.Value:
        if operator in g.VARIADIC:
            return self._junction(operator, taken)
        numbers = [self.known(v) for v in taken]
        if all(n is not None for n in numbers):
            width = 1 if operator in g.ONE_BIT else taken[0].width
            return self.constant(width, compute(operator, [n or 0 for n in numbers], [v.width for v in taken]))
        found = self._unary(operator, taken[0]) if operator in g.UNARY else self._binary(operator, taken, numbers)
        return found if found is not None else super().operate(operator, *taken)

    # ---- one operand

    def _unary(self, operator: str, value: g.Value) -> g.Value | None:
        node = self.node(value)
        if operator == "not":
            if isinstance(node, g.Operate) and node.operator == "not":
                return node.taken[0]
        elif value.width == 1:
            return value
        elif operator == "any" and isinstance(node, g.Concat):
            kept = [p for p in node.parts if self.known(p) != 0]
            if any(self.known(p) for p in kept):
                return self.one
            if len(kept) < len(node.parts):
                return self.operate("any", self.concat(*kept))
        elif operator in ("any", "all"):
            return self._of_constants(value, lambda v: self.operate(operator, v))
        return None

    # ---- two operands

    def _binary(self, operator: str, taken: tuple[g.Value, ...], numbers: list[int | None]) -> g.Value | None:
        left, right = taken
        if operator == "add" or operator in _UNSIGNED:
            shorter = self._shorter(operator, left, right)
            if shorter is not None:
                return shorter
        if operator in ("add", "xor", "mul", "eq") and numbers[0] is not None:
            left, right = right, left
            numbers = numbers[::-1]
        number = numbers[1]
        if left is right:
            return self._same(operator, left)
        if operator in g.COMPARISONS:
            return self._comparison(operator, left, right, numbers)
        if number is None:
            return None
        if number == 0 and operator in _NEUTRAL_ZERO:
            return left
        if operator == "xor" and number == _ones(left.width):
            return self.not_(left)
        if operator in g.SHIFTS:
            return self._shift(operator, left, number)
        if operator == "mul":
            return self._product(left, number)
        return None

    def _shorter(self, operator: str, left: g.Value, right: g.Value) -> g.Value | None:
        """{00, a} + {00, b}  ->  {0, {0, a} + {0, b}};  {0, a} < {0, b}  ->  a < b."""
        carry = 1 if operator == "add" else 0
        zeros = min(self.leading_zeros(left), self.leading_zeros(right), left.width - 1) - carry
        if zeros < 1:
            return None
        high = left.width - 1 - zeros
        found = self.operate(operator, self.slice(left, high, 0), self.slice(right, high, 0))
        return self.concat(self.zeros(zeros), found) if operator == "add" else found

    def leading_zeros(self, value: g.Value) -> int:
        node = self.node(value)
        if isinstance(node, g.Constant):
            return value.width - node.value.bit_length()
        if isinstance(node, g.Concat) and self.known(node.parts[0]) == 0:
            return node.parts[0].width
        return 0

    def _same(self, operator: str, value: g.Value) -> g.Value | None:
        if operator in ("sub", "xor"):
            return self.zeros(value.width)
        if operator in ("eq", "ule", "sle"):
            return self.one
        return self.zero if operator in ("ult", "slt") else None

    def _shift(self, operator: str, value: g.Value, distance: int) -> g.Value:
        width = value.width
        if operator == "ashr":
            sign = self.slice(value, width - 1, width - 1)
            distance = min(distance, width - 1)
            return self.concat(*[sign] * distance, self.slice(value, width - 1, distance))
        if distance >= width:
            return self.zeros(width)
        if operator == "shl":
            return self.concat(self.slice(value, width - 1 - distance, 0), self.zeros(distance))
        return self.concat(self.zeros(distance), self.slice(value, width - 1, distance))

    def _product(self, value: g.Value, number: int) -> g.Value | None:
        if number == 0:
            return self.zeros(value.width)
        if number & (number - 1) == 0:
            return self.operate("shl", value, self.constant(32, number.bit_length() - 1))
        return None

    def _comparison(self, operator: str, left: g.Value, right: g.Value, numbers: list[int | None]) -> g.Value | None:
        first, number = numbers
        if operator == "eq" and number is not None:
            return self._equals(left, number)
        if operator == "ult":
            if number == 0 or first == _ones(left.width):
                return self.zero
            if first == 0:
                return self.operate("any", right)
            if number == 1:
                return self.not_(self.operate("any", left))
        elif operator == "ule":
            if first == 0 or number == _ones(left.width):
                return self.one
            if number is not None:
                return self.operate("ult", left, self.constant(left.width, number + 1))
            if first is not None:
                return self.operate("ult", self.constant(left.width, first - 1), right)
        return None

    def _equals(self, value: g.Value, number: int) -> g.Value | None:
        if value.width == 1:
            return value if number else self.not_(value)
        node = self.node(value)
        if isinstance(node, g.Concat) and any(self.known(p) is not None for p in node.parts):
            low = value.width
            kept: list[g.Value] = []
            wanted = 0
            for part in node.parts:
                low -= part.width
                bits = number >> low & _ones(part.width)
                have = self.known(part)
                if have is None:
                    kept.append(part)
                    wanted = wanted << part.width | bits
                elif have != bits:
                    return self.zero
            return self.equals(self.concat(*kept), wanted)
        if isinstance(node, g.Operate) and node.operator == "not":
            return self.equals(node.taken[0], ~number & _ones(value.width))
        if isinstance(node, g.Mux | g.Select):
            chosen = self._of_constants(value, lambda v: self.equals(v, number))
            if chosen is not None:
                return chosen
        if number == _ones(value.width):
            return self.operate("all", value)
        return None

    # ---- what is asked of a choice among constants

    def _of_constants(self, value: g.Value, ask: Callable[[g.Value], g.Value]) -> g.Value | None:
        """The answers for the constants, chosen as they are: (c ? 1 : x) == 1  ->  c | x == 1."""
        choices: set[g.Value] = set()
        left = [value]
        while left:
            found = left.pop()
            arms = self._arms(found)
            if arms and found not in choices:
                choices.add(found)
                left.extend(arms)
        if not choices:
            return None
        answers: dict[g.Value, g.Value] = {}

        def answer(arm: g.Value) -> g.Value:
            return answers[arm] if arm in choices else ask(arm)

        for choice in sorted(choices, key=self.serial):
            node = self.node(choice)
            if isinstance(node, g.Mux):
                answers[choice] = self.mux(node.condition, answer(node.chosen), answer(node.other))
            elif isinstance(node, g.Select):
                cases = [(p, answer(v)) for p, v in node.cases]
                if self.known(ask(self.zeros(value.width))):
                    cases.append((self.not_(self.or_(*(p for p, _ in cases))), self.one))
                answers[choice] = self.select(cases, 1)
        return answers[value]

    def are_constants(self, *values: g.Value) -> bool:
        """Or choices among constants alone."""
        return all(v in self._constants for v in values)

    def _arms(self, value: g.Value) -> list[g.Value]:
        """Of a choice among constants, or between one and anything else."""
        node = self.node(value)
        if isinstance(node, g.Mux):
            constant = node.chosen in self._constants or node.other in self._constants
            return [node.chosen, node.other] if constant else []
        if isinstance(node, g.Select) and value in self._constants:
            return [v for _, v in node.cases]
        return []

    def _enter(self, node: g.Node) -> None:
        super()._enter(node)
        if isinstance(node, g.Mux):
            constant = node.chosen in self._constants and node.other in self._constants
        elif isinstance(node, g.Select):
            constant = all(v in self._constants for _, v in node.cases)
        else:
            constant = isinstance(node, g.Constant)
        if constant:
            self._constants.update(node.results)

    # ---- and, or

    def _junction(self, operator: str, taken: tuple[g.Value, ...]) -> g.Value:
        """Drops what others imply; finds contradictions between literals, also those inside operands."""
        width = taken[0].width
        neutral, absorbing = (_ones(width), 0) if operator == "and" else (0, _ones(width))
        number = neutral
        operands: list[g.Value] = []
        for value in taken:
            known = self.known(value)
            if known is not None:
                number = number & known if operator == "and" else number | known
            elif value not in operands:
                operands.append(value)
        if number == absorbing or not operands:
            return self.constant(width, number)
        constants = [] if number == neutral else [self.constant(width, number)]
        reduced = self._reduced(operator, operands)
        if reduced is None:
            return self.constant(width, absorbing)
        return super().operate(operator, *reduced, *constants)

    def _reduced(self, operator: str, operands: list[g.Value]) -> list[g.Value] | None:
        """None for a contradiction. Drawn for `and`; `or` is the same upside down."""
        dual = "or" if operator == "and" else "and"
        changed = True
        while changed:
            changed = False
            counts: dict[g.Value, int] = {}
            for value in operands:
                for literal in self.literals(operator, value):
                    counts[literal] = counts.get(literal, 0) + 1
            if any(self.complement(literal) in counts for literal in counts):
                return None
            kept: list[g.Value] = []
            for value in operands:
                if counts[value] > 1:
                    changed = True
                    for literal in self.literals(operator, value):
                        counts[literal] -= 1
                    continue
                shorter = self._without(dual, value, counts)
                changed = changed or shorter is not value
                if shorter is not None and shorter not in kept:
                    kept.append(shorter)
            operands = kept
        return operands or None

    def _without(self, dual: str, value: g.Value, beside: Mapping[g.Value, int]) -> g.Value | None:
        """(x | y) beside x is nothing, beside ~x it is y. What would be a new, smaller `or` is left shared."""
        node = self.node(value)
        if not isinstance(node, g.Operate) or node.operator != dual:
            return value
        if any(beside.get(t) for t in node.taken):
            return None
        kept = [t for t in node.taken if not beside.get(self.complement(t) or t)]
        return kept[0] if len(kept) == 1 else value

    def literals(self, operator: str, value: g.Value) -> frozenset[g.Value]:
        """The operands of nested `and` (or `or`) nodes, the value itself among them."""
        key = (operator, value)
        found = self._literals.get(key)
        if found is None:
            node = self.node(value)
            inner: set[g.Value] = {value}
            if isinstance(node, g.Operate) and node.operator == operator:
                for taken in node.taken:
                    inner |= self.literals(operator, taken)
                    if len(inner) > _MANY:
                        break
            found = self._literals[key] = frozenset(inner)
        return found

    def complement(self, value: g.Value) -> g.Value | None:
        """~value, if it has been made."""
        node = self.node(value)
        if isinstance(node, g.Operate) and node.operator == "not":
            return node.taken[0]
        return self._shared.get(("not", value))


def _ones(width: int) -> int:
    return (1 << width) - 1
