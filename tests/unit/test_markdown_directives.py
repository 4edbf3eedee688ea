"""What a reader sees of directives of MyST, and of cells of Quarto and R Markdown (SRC-6)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.markdown.parser import parse_markdown
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for


def parsed(text: str, uri: str = "mill.md") -> ParsedDocument:
    return parse_markdown(text, uri=uri)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("```{note}\nOil it.\n```\n", "**Note**\n\nOil it.\n\n"),
        (":::{warning}\nDo not open it.\n:::\n", "**Warning**\n\nDo not open it.\n\n"),
        ("```{admonition} Before you start\n:class: tip\nOil it.\n```\n", "**Before you start**\n\nOil it.\n\n"),
        ("```{versionadded} 2.1\nA bell.\n```\n", "**New in version 2.1**\n\nA bell.\n\n"),
        ("```{code-block} python\n:linenos:\nmill()\n```\n", "```python\nmill()\n```\n"),
        ("```{toctree}\n:maxdepth: 2\nstart\n```\n\nOil it.\n", "Oil it.\n"),
        ("```{figure} mill.png\n:name: a\nThe mill.\n```\n", "The mill.\n\n"),
        ("```{math}\na^2\n```\n", "$$\na^2\n$$\n"),
        ("````{tip}\nRun it:\n\n```sh\nmill\n```\n````\n", "**Tip**\n\nRun it:\n\n```sh\nmill\n```\n\n"),
        (":::{code-block} sh\n:caption: Start it\nmill  # now\n:::\n", "Start it\n\n````sh\nmill  # now\n````\n"),
        (":::{mermaid}\na --> b\n:::\n", "````mermaid\na --> b\n````\n"),
        (":::{admonition} The `oil` pan\n:class: tip\nFill it.\n:::\n", "**The `oil` pan**\n\nFill it.\n\n"),
        ("```{figure} a.png\n---\nname: a\n---\nThe mill.\n```\n", "The mill.\n\n"),
        ("```{code-cell} python\n---\ntags: [hide]\n---\nmill()\n```\n", "```python\nmill()\n```\n"),
        ("```{note} Oil it\ndaily.\n```\n", "**Note**\n\nOil it\ndaily.\n\n"),
        ("```{confval} oil_every\nDays.\n```\n", "**`oil_every`**\n\nDays.\n\n"),
        ("It turns.\n```{note}\nOil it.\n```\nIt stops.\n", "It turns.\n\n**Note**\n\nOil it.\n\nIt stops.\n"),
        ("As {cite:t}`ada` says {cite:p}`bo`, {math}`a_1 * b_2`.\n", "As ada says , $a_1 * b_2$.\n"),
        ("```{glossary}\nHopper\n    holds {term}`grain`\n\nStone\n    grinds it\n```\n",
         "- **Hopper**:\n  holds grain\n\n- **Stone**:\n  grinds it\n\n"),
        ("(oiling)=\nSee {ref}`the oil <oiling>`, {func}`mill.run` and {doc}`start`.\n",
         "See the oil, `mill.run()` and start.\n"),
        ("Run {command}`git add <file>`, add {html}`a <br/>`.\n", "Run `git add <file>`, add `a <br/>`.\n"),
        ("A [word]{.term}, and ``{ref}`x` `` as code.\n", "A word, and ``{ref}`x` `` as code.\n"),
    ],
)  # fmt: skip
def test_a_directive_of_myst_is_what_its_reader_sees(text: str, read: str) -> None:
    """Words of admonitions, code in its language; nothing of what only programs read."""
    assert parsed(text).text == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("```{r}\n#| label: a\n#| fig-cap: \"The mill.\"\nplot(x)\n```\n", "```r\nplot(x)\n```\n\nThe mill.\n\n"),
        ("```{r}\n#| echo: false\n#| fig-cap: |\n#|   The mill\n#|   turns.\n#| alt: |\n#|   A wheel.\nplot()\n```\n",
         "The mill turns.\n\n"),
        ("Oil it.\n\n```{r setup, include=FALSE}\nlibrary(mill)\n```\n\nTurn it.\n", "Oil it.\n\nTurn it.\n"),
        ("```{python}\n# %% a comment\nmill()\n```\n", "```python\n# %% a comment\nmill()\n```\n"),
        ("```{.sh .wide}\nmill\n```\n", "```sh\nmill\n```\n"),
        ("::: {.callout-tip title=\"Oil\"}\nDo it daily.\n:::\n", "**Oil**\n\nDo it daily.\n\n"),
        ("::: {layout-ncol=2}\nThe mill.\n:::\n", "The mill.\n\n"),
        ("~~~~ {#mycode .haskell .wide}\nmill\n~~~~\n", "~~~~haskell\nmill\n~~~~\n"),
        ("```{r fig.cap='The mill', echo=FALSE}\nplot(x)\n```\n", "The mill\n\n"),
        ("```{r, fig.cap=words, echo=FALSE}\nplot(x)\n```\nIt turns.\n", "It turns.\n"),
        ("```{=html}\n<p>The mill.</p>\n```\n\n```{=latex}\n\\newpage\n```\n", "The mill.\n\n"),
        ("```{block2, type='note'}\nOil it.\n```\n", "Oil it.\n\n"),
        ("::: {#fig-a layout-ncol=2}\nThe mill.\n:::\n", "The mill.\n\n"),
    ],
)  # fmt: skip
def test_a_cell_of_quarto_is_code_without_its_options(text: str, read: str) -> None:
    """A cell that shows no code is the words below its output."""
    assert parsed(text, "mill.qmd").text == read


@pytest.mark.parametrize(
    "text",
    [
        "```js {1,3}\nmill()\n```\n",
        "````md\n```{note}\nOil it.\n```\n````\n",
        "```\n{a: 1}\n:b: 2\n```\n",
        "Call `{mill}` or {mill}.\n",
        "Call `GET /mills/\n{id}` to read, and `DELETE /mills/{id}` to remove it: `/mills/{id}`.\n",
        "Write:\n\n    ```{toctree}\n    intro\n    ```\n\nThat lists the pages.\n",
        "```{directive-of-mine} A title\nText.\n```\n",
        "It is $\\sqrt[3]{.5}$.\n",
        "```{toctree}\nintro\n\nThe rest.",
        "```{python}",
    ],
)
def test_other_code_stays_as_it_is(text: str) -> None:
    """Braces behind a language, an example of a directive, an option in code, and words in braces are none."""
    assert parsed(text).text == text


def test_a_line_behind_directives_is_where_it_was() -> None:
    """A citation opens the original at its line."""
    source = "# Mill\n\n```{note}\n:class: x\nOil it.\n```\n\n```{r}\n#| echo: true\nplot(x)\n```\n\nTurn it.\n"
    document = parsed(source)
    assert document.places is not None
    start = document.text.index("Turn it")
    place = document.places.between(start, start + 7, text=document.text)
    assert place is not None
    assert place.label == "L13"


@pytest.mark.parametrize("name", ["joins.qmd", "report.Rmd", "a.Rmarkdown"])
def test_files_of_quarto_and_r_markdown_are_markdown(name: str) -> None:
    """Also if their text does not look so; a file without a title is called like its name."""
    parser = parser_for(b"Oil it.\n", name)
    assert parser.version == parser_for(b"# A\n", "a.md").version
    assert parser.parse(File(content=b"Oil it.\n", uri=name)).title == name.partition(".")[0]


def test_a_caption_is_cited_where_its_cell_begins() -> None:
    """Nothing else of the cell is shown."""
    document = parsed('# Mill\n\n```{r, echo=FALSE, fig.cap="The wheel"}\nplot(x)\n\nplot(y)\n```\n')
    assert document.places is not None
    start = document.text.index("The wheel")
    place = document.places.between(start, start + 9, text=document.text)
    assert place is not None
    assert place.label == "L3"
