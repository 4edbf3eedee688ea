"""Formulas of Office files are TeX between dollar signs, as those of web pages."""

import pytest
from lxml import etree

from headwater.parsing.office.formulas import M, write_formula


def formula(content: str) -> str:
    """A formula; single letters in brackets are runs."""
    namespace = M.strip("{}")
    return write_formula(etree.fromstring(f'<m:oMath xmlns:m="{namespace}">{content}</m:oMath>'))


def t(text: str) -> str:
    """A run."""
    return f"<m:r><m:t>{text}</m:t></m:r>"


def e(text: str, name: str = "e") -> str:
    """An argument."""
    return f"<m:{name}>{t(text)}</m:{name}>"


BINOMIAL = f'<m:f><m:fPr><m:type m:val="noBar"/></m:fPr>{e("n", "num")}{e("k", "den")}</m:f>'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (t("E") + t("=m") + f"<m:sSup>{e('c')}{e('2', 'sup')}</m:sSup>", "E=mc^2"),
        (f"<m:func><m:fName>{t('sin')}</m:fName>{e('θ')}</m:func>{t('=')}<m:f>{e('mλ', 'num')}{e('a', 'den')}</m:f>",
         r"\sin θ=\frac{mλ}{a}"),
        (f'<m:f><m:fPr><m:type m:val="lin"/></m:fPr>{e("a", "num")}{e("bc", "den")}</m:f>', "a/{bc}"),
        (f"<m:sSubSup>{e('x')}{e('i', 'sub')}{e('10', 'sup')}</m:sSubSup>", "x_i^{10}"),
        (f"<m:sSup><m:e><m:sSub>{e('x')}{e('i', 'sub')}</m:sSub></m:e>{e('2', 'sup')}</m:sSup>", "{x_i}^2"),
        (f"<m:rad><m:deg/>{e('x')}</m:rad><m:rad>{e('3', 'deg')}{e('x')}</m:rad>", r"\sqrt{x}\sqrt[3]{x}"),
        (f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>{e("i=1", "sub")}{e("n", "sup")}{e("i")}</m:nary>',
         r"\sum_{i=1}^n i"),
        (f"<m:d>{e('a')}{e('b')}</m:d>", "(a|b)"),
        (f'<m:d><m:dPr><m:begChr m:val="{{"/><m:endChr m:val=""/></m:dPr>{e("x")}</m:d>', r"\left\{ x\right."),
        (f'<m:acc><m:accPr><m:chr m:val="&#x20d7;"/></m:accPr>{e("v")}</m:acc><m:acc>{e("x")}</m:acc>',
         r"\vec{v}\hat{x}"),
        (f"<m:m><m:mr>{e('a')}{e('b')}</m:mr><m:mr>{e('c')}{e('d')}</m:mr></m:m>",
         r"\begin{matrix}a & b \\ c & d\end{matrix}"),
        (f"<m:limLow>{e('lim')}{e('x→0', 'lim')}</m:limLow>", r"\lim_{x→0}"),
        (f"<m:box>{e('5 % of $3')}</m:box>", r"5 \% of \$3"),
        (f"<m:sSup><m:e><m:f>{e('a', 'num')}{e('b', 'den')}</m:f></m:e>{e('2', 'sup')}</m:sSup>",
         r"{\frac{a}{b}}^2"),
        (f"<m:sSup>{e('x+1')}{e('2', 'sup')}</m:sSup><m:sSub>{e('(a-b)')}{e('n', 'sub')}</m:sSub>", "{x+1}^2(a-b)_n"),
        (f"<m:sSup><m:e><m:rad>{e('x')}</m:rad>{t('+1')}</m:e>{e('2', 'sup')}</m:sSup>", r"{\sqrt{x}+1}^2"),
        (f"<m:sSup>{e('-x')}{e('2', 'sup')}</m:sSup><m:sSup>{e(')')}{e('2', 'sup')}</m:sSup>", "-x^2)^2"),
        (f"<m:d><m:e>{BINOMIAL}</m:e></m:d><m:d><m:e>{BINOMIAL}{t('x')}</m:e></m:d>",
         r"\binom{n}{k}\left( {n \atop k}x\right)"),
        (f"<m:func><m:fName><m:limLow>{e('argmax')}{e('x', 'lim')}</m:limLow></m:fName>{e('y')}</m:func>",
         r"\operatorname{argmax}_x y"),
        (f"<m:limLow>{e('f')}{e('all of them', 'lim')}</m:limLow>", r"f_{\text{all of them}}"),
        (f"<m:r><m:rPr><m:nor/></m:rPr><m:t xml:space='preserve'> if </m:t></m:r>{t('x 2')}", r"\text{ if }x 2"),
        (f"<m:unknown>{e('kept')}</m:unknown>", "kept"),
    ],
)  # fmt: skip
def test_a_formula_is_written_as_it_is_read(content: str, expected: str) -> None:
    """Fractions, roots, scripts, sums, brackets, accents and matrices; what is unknown keeps its signs."""
    assert formula(content) == f"${expected}$"


def test_an_empty_formula_is_nothing() -> None:
    """Not two dollar signs."""
    assert formula("<m:r><m:t> </m:t></m:r>") == ""
