"""Formulas in TeX as MathML, which browsers draw without a script.

Belongs here: the TeX that documents and models write, between dollar signs or the signs of LaTeX. Not here: the
markdown around it (`markdown_stream`). Guarantee: pure; every text in it is escaped; a formula with anything unknown
stays the text that it was, so that nothing is shown wrong or left out.
"""

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

TAGS = frozenset({
    "math", "mfrac", "mi", "mn", "mo", "mover", "mroot", "mrow", "mspace", "msqrt", "msub", "msubsup", "msup", "mtable",
    "mtd", "mtext", "mtr", "munder", "munderover",
})  # fmt: skip
ATTRIBUTES: Mapping[str, set[str]] = {"math": {"display"}, "mi": {"mathvariant"}, "mspace": {"width"}}
_MAX_CHARS = 1000  # of a formula
_MAX_DEPTH = 30  # of what is in it
_PAIR = re.compile(r"(\w+) (\S)")
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_FORMULA = re.compile(r"[\\^_=+<>{}|]|\A[A-Za-z](?:\([A-Za-z,]+\))?\Z")
"""What a formula has, unless it is one letter or `f(x)`; what stands between brackets is usually none."""
_ENDS: Mapping[str, str] = {"$$": "$$", "\\[": "\\]", "\\(": "\\)", "$": "$"}
_LETTERS = (
    "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ"
    " nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ"
    " Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω infty ∞ partial ∂ nabla ∇ hbar ℏ ell ℓ emptyset ∅ Re ℜ Im ℑ"
)
_SIGNS = (
    "cdot ⋅ times × div ÷ pm ± mp ∓ leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ approx ≈ equiv ≡ sim ∼ propto ∝ ll ≪ gg ≫ to →"
    " rightarrow → leftarrow ← Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ iff ⇔ implies ⇒ mapsto ↦ in ∈ notin ∉ subset ⊂"
    " subseteq ⊆ cup ∪ cap ∩ setminus ∖ forall ∀ exists ∃ land ∧ wedge ∧ lor ∨ vee ∨ neg ¬ lnot ¬ mid | vert | Vert ‖"
    " lvert | rvert | lVert ‖ rVert ‖ ldots … dots … cdots ⋯ vdots ⋮ circ ∘ ast ∗ star ⋆ oplus ⊕ otimes ⊗ perp ⊥"
    " parallel ∥ angle ∠ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ prime ′ degree ° int ∫ iint ∬ oint ∮"
)
_LARGE = {"sum": "∑", "prod": "∏", "bigcup": "⋃", "bigcap": "⋂"}
_LIMITS = {"lim", "max", "min", "sup", "inf", "argmax", "argmin"}
_NAMES = {"sin", "cos", "tan", "cot", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "log", "ln", "lg", "exp",
          "det", "dim", "ker", "deg", "gcd", "arg", "Pr"}  # fmt: skip
_ACCENTS = {"hat": "^", "widehat": "^", "bar": "¯", "overline": "¯", "vec": "→", "dot": "˙", "ddot": "¨", "tilde": "~"}
_SPACES = {",": "0.17em", ":": "0.22em", ";": "0.28em", " ": "0.25em", "quad": "1em", "qquad": "2em", "!": "0"}
_FENCES = {"pmatrix": "()", "bmatrix": "[]", "vmatrix": "||", "matrix": "", "cases": "{", "aligned": "", "align": ""}
_VARIANTS = {"mathrm": "normal", "mathbf": "", "mathit": "", "mathcal": "", "mathbb": "", "operatorname": "normal"}


class _UnknownError(Exception):
    """Something that is not known here."""


class _Formula:
    """One formula, read from its beginning to its end."""

    def __init__(self, tex: str) -> None:
        self._tokens = _TOKEN.findall(tex)
        self._at = 0
        self._depth = 0

    def write(self, *ends: str) -> str:
        """The rest up to one of the ends, which is read too; without one, all of it."""
        atoms: list[str] = []
        while (sign := self._peek()) not in ends:
            if not sign:
                if ends:
                    raise _UnknownError
                break
            atoms.append(self._write_scripts(self._write_atom()))
        self._at += bool(ends)
        return "".join(atoms)

    def _peek(self) -> str:
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        sign = self._peek()
        self._at += 1
        return sign

    def _write_atom(self) -> str:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _UnknownError
        atom = self._write_token(self._next())
        self._depth -= 1
        return atom

    def _write_argument(self) -> str:
        """What a command or a script takes: one atom; of a number without braces the first digit alone, as in TeX."""
        number = self._peek()
        if len(number) > 1 and number[0].isdigit():
            self._tokens[self._at : self._at + 1] = [number[0], number[1:]]
        return self._write_atom()

    def _write_token(self, sign: str) -> str:
        if sign == "{":
            return f"<mrow>{self.write('}')}</mrow>"
        if sign.startswith("\\"):
            return self._write_command(sign[1:])
        if sign[:1].isdigit():
            return f"<mn>{sign}</mn>"
        if sign.isalpha():
            return f"<mi>{sign}</mi>"
        if not sign or sign in "}&^_$#%\\":
            raise _UnknownError
        return f"<mo>{escape('−' if sign == '-' else sign)}</mo>"

    def _write_scripts(self, base: str) -> str:
        scripts: dict[str, str] = {}
        while (sign := self._peek()) in ("^", "_", "'"):
            self._at += 1
            name = "_" if sign == "_" else "^"
            if name in scripts:
                raise _UnknownError
            scripts[name] = "<mo>′</mo>" if sign == "'" else self._write_argument()
        if not scripts:
            return base
        is_stacked = base.startswith(tuple(f"<mo>{sign}" for sign in _LARGE.values())) or base[4:-5] in _LIMITS
        lower, upper = ("munder", "mover") if is_stacked else ("msub", "msup")
        both = "munderover" if is_stacked else "msubsup"
        tag = both if len(scripts) > 1 else lower if "_" in scripts else upper
        return f"<{tag}>{base}{scripts.get('_', '')}{scripts.get('^', '')}</{tag}>"

    def _write_command(self, name: str) -> str:
        if name in _SYMBOLS:
            return _SYMBOLS[name]
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}"></mspace>'
        if name in ("frac", "dfrac", "tfrac"):
            return f"<mfrac>{self._write_argument()}{self._write_argument()}</mfrac>"
        if name in _ACCENTS:
            return f"<mover>{self._write_argument()}<mo>{_ACCENTS[name]}</mo></mover>"
        special: Callable[[], str] | None = {
            "sqrt": self._write_root, "left": self._write_fenced, "begin": self._write_table,
        }.get(name)  # fmt: skip
        if special:
            return special()
        if name in ("text", "textrm", "mbox"):
            return f"<mtext>{escape(self._read_words())}</mtext>"
        if name in _VARIANTS:
            variant = ' mathvariant="normal"' if _VARIANTS[name] else ""
            return f"<mi{variant}>{escape(self._read_words())}</mi>"
        raise _UnknownError

    def _read_words(self) -> str:
        """What stands between braces, as it is."""
        if self._next() != "{":
            raise _UnknownError
        start = self._at
        while self._at < len(self._tokens) and self._tokens[self._at] != "}":
            if self._tokens[self._at] in "{$" or self._tokens[self._at].startswith("\\"):
                raise _UnknownError
            self._at += 1
        if self._at == len(self._tokens):
            raise _UnknownError
        self._at += 1
        return "".join(self._tokens[start : self._at - 1])

    def _write_root(self) -> str:
        if self._peek() != "[":
            return f"<msqrt>{self._write_argument()}</msqrt>"
        self._at += 1
        degree = self.write("]")
        return f"<mroot>{self._write_argument()}<mrow>{degree}</mrow></mroot>"

    def _write_fenced(self) -> str:
        left_fence = self._write_fence()
        content = self.write("\\right")
        return f"<mrow>{left_fence}{content}{self._write_fence()}</mrow>"

    def _write_fence(self) -> str:
        sign = self._next()
        if sign == ".":
            return ""
        return _SYMBOLS.get(sign[1:]) or _draw_fence(sign)

    def _write_table(self) -> str:
        name = self._read_words()
        if name.rstrip("*") not in _FENCES:
            raise _UnknownError
        rows: list[list[str]] = [[]]
        cell: list[str] = []
        while (sign := self._peek()) != "\\end":
            if not sign:
                raise _UnknownError
            if sign in ("&", "\\\\"):
                self._at += 1
                rows[-1].append("".join(cell))
                cell = []
                if sign != "&":
                    rows.append([])
            else:
                cell.append(self._write_scripts(self._write_atom()))
        self._at += 1
        if self._read_words() != name:
            raise _UnknownError
        rows[-1].append("".join(cell))
        fences = _FENCES[name.rstrip("*")]
        lines = "".join(f"<mtr>{''.join(f'<mtd>{text}</mtd>' for text in row)}</mtr>" for row in rows if any(row))
        left_fence, right_fence = (_draw_fence(fence) if fence else "" for fence in (fences[:1], fences[1:]))
        return f"<mrow>{left_fence}<mtable>{lines}</mtable>{right_fence}</mrow>"


def _draw_fence(sign: str) -> str:
    if not sign or sign not in "()[]|/<>{":
        raise _UnknownError
    return f"<mo>{escape(sign)}</mo>"


_SYMBOLS: Mapping[str, str] = {
    **{name: f"<mi>{letter}</mi>" for name, letter in _PAIR.findall(_LETTERS)},
    **{name: f"<mo>{sign}</mo>" for name, sign in _PAIR.findall(_SIGNS)},
    **{name: f"<mo>{sign}</mo>" for name, sign in _LARGE.items()},
    **{name: f"<mi>{name}</mi>" for name in _LIMITS | _NAMES},
    **{sign: f"<mo>{escape(sign)}</mo>" for sign in "{}%&#$_|"},
}


def to_mathml(tex: str, *, is_block: bool = False) -> str | None:
    """A formula as MathML; None if it has anything that is not known."""
    if not tex.strip() or len(tex) > _MAX_CHARS:
        return None
    try:
        content = _Formula(tex).write()
    except _UnknownError:
        return None
    return f"<math{' display=' + chr(34) + 'block' + chr(34) if is_block else ''}><mrow>{content}</mrow></math>"


def add_formulas(parser: MarkdownIt) -> None:
    """Let a parser of markdown read formulas."""
    parser.inline.ruler.before("escape", "formula", _read_formula)
    parser.add_render_rule("formula", _render)


def _read_formula(state: StateInline, silent: bool) -> bool:
    begins = next((begin for begin in _ENDS if state.src.startswith(begin, state.pos)), None)
    if begins is None:
        return False
    start = state.pos + len(begins)
    end = state.src.find(_ENDS[begins], start, min(start + _MAX_CHARS, state.posMax))
    tex, outside = state.src[start:end], state.src[: state.pos][-1:] + state.src[end + 1 : end + 2]
    if end < 0 or not _FORMULA.search(tex) or (begins == "$" and not _is_between_dollars(tex, outside)):
        return False
    mathml = to_mathml(tex, is_block=begins in ("$$", "\\["))
    if mathml is None:
        return False
    if not silent:
        state.push("formula", "math", 0).content = mathml
    state.pos = end + len(_ENDS[begins])
    return True


def _is_between_dollars(tex: str, outside: str) -> bool:
    """Whether dollar signs around a text are not those of money or of variables: no blank within, no letter outside."""
    return tex == tex.strip() and not any(map(str.isalnum, outside))


def _render(_: Any, tokens: list[Token], position: int, *__: Any) -> str:
    return tokens[position].content
