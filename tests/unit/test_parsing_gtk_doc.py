"""Pages that gtk-doc made as markdown (SRC-1, SRC-4).

Belongs here: tables that gtk-doc shows as lists. Not here: what is the same on any page (`test_parsing_html`).
"""

from headwater.parsing.html.page import read_page
from headwater.parsing.html.parser import page_document

HEAD = '<head><title>Lamp: Manual</title><meta name="generator" content="GTK-Doc V1.33.1 (XML mode)"></head>'


def read_text(body: str, head: str = HEAD) -> str:
    """The text of a page."""
    html = f"<html>{head}<body><h1>Lamp</h1>{body}</body></html>"
    return page_document(read_page(html.encode(), "lamp.html"), uri="lamp.html").text.removeprefix("# Lamp\n\n")


def make_row(name: str, description: str, annotations: str) -> str:
    """A parameter as gtk-doc writes it."""
    return (
        f'<tr><td class="parameter_name"><p>{name}</p></td><td class="parameter_description"><p>{description}</p></td>'
        f'<td class="parameter_annotations">{annotations}&nbsp;</td></tr>'
    )


ROW = make_row("watts", "the <i>power</i>.", "<span>[nullable]</span>")


def test_parameters_are_a_list() -> None:
    """One or several, with their annotations in brackets."""
    table = f'<table class="informaltable">{ROW}{make_row("name", "its name.", "")}</table>'

    assert read_text(f'<table class="informaltable">{ROW}</table>') == "- **watts**: the *power*. [nullable]"
    assert read_text(table) == "- **watts**: the *power*. [nullable]\n- **name**: its name."


def test_functions_and_properties_are_code() -> None:
    """Their flags stand behind them."""
    function = (
        '<tr><td class="function_type"><a href="w.html">Watt</a> *</td><td class="function_name">lamp_get ()</td></tr>'
    )
    cells = (("type", "int"), ("name", "volts"), ("flags", "Read"))
    flag = "".join(f'<td class="property_{kind}">{words}</td>' for kind, words in cells)

    assert read_text(f'<table class="informaltable">{function}</table>') == "- `Watt * lamp_get ()`"
    assert read_text(f'<table class="informaltable"><tr>{flag}</tr></table>') == "- `int volts`: Read"


def test_other_tables_and_pages_stay_as_they_are() -> None:
    """Tables of the text have the same class."""
    table = '<table class="informaltable"><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>'

    assert "| a | b |" in read_text(table)
    assert "watts | the" in read_text(f'<table class="informaltable">{ROW}</table>', "<head><title>Lamp</title></head>")
