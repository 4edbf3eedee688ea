"""Pages of Javadoc and groovydoc as markdown (SRC-1, SRC-4): titles, declarations, lists, menus.

Belongs here: what these programs write in their own way. Not here: what is the same on any page (`test_parsing_html`).
"""

from headwater.domain.documents import ParsedDocument
from headwater.parsing.html.page import HtmlPage, read_page
from headwater.parsing.html.parser import page_document

URI = "https://docs.example.com/api/org/clocks/Timer.html"

JAVA_8 = """
<html><head><title>Timer (clocks 2.1 API)</title></head><body>
<noscript><div>JavaScript is disabled on your browser.</div></noscript>
<div class="topNav"><a name="navbar.top"></a><ul class="navList" title="Navigation">
<li><a href="../../overview-summary.html">Overview</a></li><li class="navBarCell1Rev">Class</li></ul></div>
<div class="subNav"><ul class="navList"><li><a href="Watch.html">Next&nbsp;Class</a></li></ul></div>
<div class="header"><div class="subTitle">org.clocks</div>
<h2 title="Class Timer" class="title">Class Timer&lt;K,V&gt;</h2></div>
<div class="contentContainer">
<ul class="inheritance"><li>java.lang.Object</li><li><ul class="inheritance"><li>org.clocks.Timer</li></ul></li></ul>
<div class="description"><ul class="blockList"><li class="blockList">
<dl><dt>All Implemented Interfaces:</dt><dd><a href="Clock.html">Clock</a></dd></dl><hr><br>
<pre>public class <span class="typeNameLabel">Timer&lt;K,V&gt;</span>
extends <a href="Object.html">Object</a></pre>
<div class="block">Measures time. <pre>timer.start();</pre></div></li></ul></div>
<div class="summary"><ul class="blockList"><li class="blockList"><ul class="blockList"><li class="blockList">
<h3>Method Summary</h3>
<table class="memberSummary"><caption><span id="t0" class="activeTableTab"><span>All Methods</span><span
 class="tabEnd">&nbsp;</span></span><span id="t2" class="tableTab"><span><a href="javascript:show(2);">Instance
 Methods</a></span><span class="tabEnd">&nbsp;</span></span></caption>
<tr><th>Type</th><th>Method</th></tr><tr><td><code>void</code></td><td><code>start()</code></td></tr></table>
</li></ul></li></ul></div>
<div class="details"><ul class="blockList"><li class="blockList"><ul class="blockList"><li class="blockList">
<h3>Method Detail</h3><ul class="blockListLast"><li class="blockList"><h4>start</h4>
<pre>public&nbsp;void&nbsp;start(<a href="Clock.html">Clock</a>&nbsp;clock,
                  int&#8203;&nbsp;at)</pre>
<div class="block">Starts it.</div>
<dl><dt><strong>Specified by:</strong></dt><dd><code>start</code> in <code>Clock</code></dd></dl></li></ul>
</li></ul></li></ul></div></div>
<div class="bottomNav"><ul class="navList"><li><a href="../../help-doc.html">Help</a></li></ul></div>
<p class="legalCopy"><small>Copyright</small></p></body></html>
"""

JAVA_8_TEXT = r"""# Class Timer\<K,V>

Package org.clocks

- **All Implemented Interfaces**: [Clock](Clock.html)

```java
public class Timer<K,V>
extends Object
```

Measures time.

```
timer.start();
```

### Method Summary

| Type | Method |
| --- | --- |
| `void` | `start()` |

### Method Detail

#### start

```java
public void start(Clock clock,
                  int at)
```

Starts it.

- **Specified by**: `start` in `Clock`"""

JAVA_17 = """
<html><head><title>Timer (clocks 3 API)</title></head><body class="class-declaration-page">
<header role="banner"><nav><div class="top-nav"><a href="../index.html">Overview</a></div></nav></header>
<main role="main"><div class="header">
<div class="sub-title"><span>Package</span>&nbsp;<a href="package-summary.html">org.clocks</a></div>
<h1 title="Class Timer" class="title">Class Timer</h1></div>
<div class="inheritance"><a href="Object.html">java.lang.Object</a><div class="inheritance">org.clocks.Timer</div></div>
<section class="class-description"><hr>
<div class="type-signature"><span class="modifiers">public class </span><span class="element-name">Timer</span>
<span class="extends-implements">extends <a href="Base.html">Base</a></span></div></section>
<ul class="details-list"><li><section class="method-details"><h2>Method Details</h2><ul class="member-list"><li>
<section class="detail" id="stop()"><h3>stop</h3>
<div class="member-signature"><span class="annotations"><a href="D.html">@Deprecated</a>(<a href="D.html">since</a>="2")
</span><span class="modifiers">public</span>&nbsp;<span class="return-type"><a href="S.html">Set</a>&lt;T&gt;</span
>&nbsp;<span class="element-name">stop</span>()</div>
<div class="block">Stops it.</div></section></li></ul></section></li></ul></main></body></html>
"""

JAVA_17_TEXT = """# Class Timer

Package [org.clocks](package-summary.html)

```java
public class Timer
extends Base
```

## Method Details

### stop

```java
@Deprecated(since="2")
public Set<T> stop()
```

Stops it."""

GROOVY = """
<html><head><title>Timer (clocks 2.4 API)</title></head><body class="center">
<div class="topNav"><ul class="navList"><li><a href="../../overview-summary.html">Overview</a></li></ul></div>
<div class="header"><div class="subTitle">Package: <strong>org.clocks</strong></div>
<h2 title="[Java] Class Timer" class="title">[Java] Class Timer</h2></div>
<div class="contentContainer"><div class="summary"><ul class="blockList"><li class="blockList"><h3>Field Summary</h3>
<ul class="blockList"><table class="overviewSummary"><tr><th>Modifiers</th><th>Name</th></tr>
<tr><td><code>int</code></td><td><code>DONE</code></td></tr></table></ul></li></ul></div>
<ul class="blockList"><li class="blockList"><h3>Method Detail</h3><ul class="blockListLast"><li class="blockList">
<h4>public&nbsp;<a href="Watch.html">Watch</a> <strong>start</strong>()</h4><p>Starts it.
<DL><DT><B>Returns:</B></DT><DD>a watch</DD></DL></p></li></ul></li></ul></div></body></html>
"""

GROOVY_TEXT = """# \\[Java] Class Timer

Package org.clocks

### Field Summary

| Modifiers | Name |
| --- | --- |
| `int` | `DONE` |

### Method Detail

#### start

```java
public Watch start()
```

Starts it.

- **Returns**: a watch"""

JAVA_6 = """
<HTML><HEAD><TITLE>Timer (clocks 1.0 API)</TITLE></HEAD><BODY BGCOLOR="white">
<TABLE BORDER="0"><TR><TD COLSPAN=2 CLASS="NavBarCell1"><TABLE><TR><TD CLASS="NavBarCell1">
<A HREF="../../overview-summary.html"><B>Overview</B></A></TD><TD CLASS="NavBarCell1Rev"><B>Class</B></TD></TR></TABLE>
</TD></TR><TR><TD CLASS="NavBarCell3">SUMMARY: <A HREF="#method_summary">METHOD</A></TD></TR></TABLE><HR>
<H2><FONT SIZE="-1">
org.clocks</FONT><BR>
Class Timer</H2>
<PRE>
java.lang.Object
  <IMG SRC="inherit.gif" ALT="extended by "><B>org.clocks.Timer</B></PRE>
<HR><DL><DT><PRE>public class <B>Timer</B><DT>extends Clocks<DT>implements <A HREF="Clock.html">Clock</A></DL></PRE>
<P>Measures time.<P>
<TABLE BORDER="1"><TR CLASS="TableHeadingColor"><TH COLSPAN="2"><FONT SIZE="+2"><B>Method Summary</B></FONT></TH></TR>
<TR><TD><CODE>void</CODE></TD><TD><CODE>start()</CODE></TD></TR>
<TR><TD><CODE>void</CODE></TD><TD><CODE>stop()</CODE></TD></TR></TABLE>
<TABLE BORDER="1"><TR CLASS="TableHeadingColor"><TH><FONT SIZE="+2"><B>Method Detail</B></FONT></TH></TR></TABLE>
<A NAME="start()"></A><H3>start</H3><PRE>public void <B>start</B>()</PRE><DL><DD>Starts it.</DL>
</BODY></HTML>
"""

JAVA_6_TEXT = """# Class Timer

Package org.clocks

```java
public class Timer
extends Clocks
implements Clock
```

Measures time.

## Method Summary

|  |  |
| --- | --- |
| `void` | `start()` |
| `void` | `stop()` |

## Method Detail

### start

```java
public void start()
```

- Starts it."""


def read(html: str) -> tuple[HtmlPage, ParsedDocument]:
    """Read a page that has the style sheet of all these programs' pages."""
    page = read_page(
        html.replace("<head>", '<head><link rel="stylesheet" href="../../stylesheet.css" title="Style">').encode(), URI
    )
    return page, page_document(page, uri=URI)


def test_a_class_begins_with_its_name_and_its_declarations_are_code() -> None:
    """The menus are no text, but a crawl follows them."""
    page, document = read(JAVA_8)
    assert document.title == "Class Timer<K,V>"
    assert document.text == JAVA_8_TEXT
    assert "https://docs.example.com/api/org/clocks/Watch.html" in page.links
    assert "https://docs.example.com/api/org/clocks/Object.html" in page.links


def test_declarations_of_later_versions_keep_their_lines() -> None:
    """Annotations stand on lines of their own, and there are neither links nor backslashes."""
    page, document = read(JAVA_17)
    assert document.text == JAVA_17_TEXT
    assert "https://docs.example.com/api/org/clocks/S.html" in page.links


def test_tables_of_old_versions_that_are_headings_and_menus_are_no_tables() -> None:
    page, document = read(JAVA_6)
    assert document.title == "Class Timer"
    assert document.text == JAVA_6_TEXT
    assert "https://docs.example.com/api/overview-summary.html" in page.links


def test_a_member_of_groovydoc_has_its_name_as_its_heading() -> None:
    page, document = read(GROOVY)
    assert document.text.replace("# [Java]", "# \\[Java]") == GROOVY_TEXT
    assert "https://docs.example.com/api/org/clocks/Watch.html" in page.links


def test_a_long_list_of_deprecated_elements_is_a_table() -> None:
    """However long a description is: the heads of the columns say that it is a table."""
    words = "Deprecated. " + "It is slower than the others. " * 60
    grid = (
        '<main><h1>Deprecated API</h1><div class="summary-table"><div class="table-header col-first">Element</div>'
        '<div class="table-header col-last">Description</div><div class="col-summary-item-name">Timer</div>'
        f'<div class="col-last">{words}</div></div></main>'
    )
    assert read(grid)[1].text.endswith(f"| Element | Description |\n| --- | --- |\n| Timer | {words.strip()} |")


def test_a_package_description_is_content() -> None:
    """Although groovydoc writes it into a head of the page."""
    page = (
        '<head></head><div class="topNav"></div><div class="header"><h1 class="title">Package org.clocks</h1></div>'
        '<h2 class="title">Package org.clocks Description</h2><div class="header">Clocks for games.</div>'
        '<div class="bottomNav"><ul class="navList"><li>Help</li></ul></div>'
    )
    expected = "# Package org.clocks\n\n## Package org.clocks Description\n\nClocks for games."
    assert read(page)[1].text == expected


def test_odd_pages_with_its_classes_keep_their_text() -> None:
    for page in (
        '<body class="topNav"><div class="top-nav">M</div><p>Measures time.</p></body>',
        '<html class="blockList"><body class="member-signature"><div class="topNav"></div><p>Measures time.</p></body>',
        '<div class="header topNav"></div><ul class="blockList"><h4><strong>x</strong></h4><p>Measures time.</p></ul>',
        '<table><td class="NavBarCell1">M</td></table><h2></h2><dl><dt><pre>Measures time.</pre></dl>',
        '<div class="member-signature"><div class="member-signature"><p>Measures time.</p></div></div>',
    ):
        assert "Measures time." in read(f"<html>{page}</html>")[1].text
