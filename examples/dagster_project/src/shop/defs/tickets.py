"""What a shop has already: a table of tickets, and a folder of texts that an asset writes from it."""

import csv
import sqlite3
from pathlib import Path

import dagster as dg

DATA = Path(__file__).parents[3] / "data"
TEXTS = DATA / "tickets"


@dg.asset(group_name="crm", kinds={"sqlite"})
def tickets() -> dg.MaterializeResult[None]:
    """The table of solved tickets, loaded from what the help desk exports."""
    with (DATA / "tickets.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["id"], row["title"], row["answer"]) for row in csv.DictReader(file)]
    connection = sqlite3.connect(DATA / "crm.db")
    with connection:
        connection.execute("DROP TABLE IF EXISTS tickets")
        connection.execute("CREATE TABLE tickets (id integer PRIMARY KEY, title text, answer text)")
        connection.executemany("INSERT INTO tickets VALUES (?, ?, ?)", rows)
    connection.close()
    return dg.MaterializeResult(metadata={"dagster/row_count": len(rows)})


@dg.asset(deps=[tickets], group_name="crm", kinds={"markdown"})
def ticket_texts() -> dg.MaterializeResult[None]:
    """A Markdown file for each ticket: what the knowledge base reads."""
    TEXTS.mkdir(exist_ok=True)
    connection = sqlite3.connect(DATA / "crm.db")
    rows = connection.execute("SELECT id, title, answer FROM tickets").fetchall()
    connection.close()
    for number, title, answer in rows:
        (TEXTS / f"{number}.md").write_text(f"# {title}\n\n{answer}\n", encoding="utf-8")
    return dg.MaterializeResult(metadata={"files": len(rows)})
