"""Which questions ask for the whole of something, and are answered from summaries (SUM-4)."""

import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from headwater.retrieval.broad_summaries import Overview, find_overview
from headwater.understanding.breadth import breadth_of
from headwater.understanding.question import understand
from tests.passages import passage

WHOLE = """\
What is this about?
what's this about
What is this?
What are these documents about?
What is the documentation about?
What topics does this cover?
Which topics are covered?
What topics does the documentation cover?
What are the main topics?
What are the main themes of these documents?
What does this knowledge base cover?
What is in here?
What can I find here?
What can I ask about?
Give me an overview.
Could you tell me what this is about?
Please give me a short summary of everything
Give me a high-level overview of the docs
Summarize this
Summarise all of the documents
Overview
What documents are in this knowledge base?
Worum geht es?
Worum geht es hier?
Worum geht es in dieser Dokumentation?
Wovon handelt das Buch?
Gib mir einen Überblick
Wovon handeln diese Dokumente?
De quoi s'agit-il ?
De quoi parle cette documentation ?
De quoi traite ce livre ?
De quoi parle-t-on ici ?
De quoi parlent ces documents ?
この本は何について書かれていますか
これは何についてですか？
この文書は何についてのものですか
ここには何が書かれていますか
De quoi parle ce site ?
de quoi parle cette base de connaissances
¿De qué tratan estos documentos?
¿De qué trata este sitio?
概述
这个知识库是关于什么的
这是关于什么的？
这是什么
这个知识库是做什么的？
What does it do?
这里有哪些内容？
これは何についてですか。
このサイトは何についてのサイトですか
Fasse die Dokumente kurz zusammen
Bitte fasse alles zusammen.
Zusammenfassung der Dokumentation
Résume ces documents
Résumez-moi la documentation
résume tout
Resume los documentos
Resume este sitio.
resumen de la documentación
总结一下这个知识库
请总结这些文档
概括文档内容
この文書を要約してください
すべて要約して
このプロジェクトは何についてですか
このプロジェクトについて教えてください
このプロジェクトの概要を教えて
このウィキではどんな話題を扱っていますか
ここにはどんな情報がありますか？
このプロジェクトにはページがいくつありますか
文書は全部で何件ありますか
このプロジェクトって何？
何が書いてあるの？
このナレッジベースの内容を教えて
ここで何がわかりますか
どんなトピックがありますか
主なトピックは何ですか
このプロジェクトで扱っているテーマは？
概要を知りたい
"""
SUBJECTS = {
    "Give me an overview of the employee handbook": "employee handbook",
    "Summarize the role library": "role library",
    "What is PerksPlus about?": "PerksPlus",
    "What topics does the security guide cover?": "security guide",
    "What are the main points of the travel policy?": "travel policy",
    "An overview of monitoring": "monitoring",
    "Write a brief summary of authentication": "authentication",
    "What does the architecture document cover?": "architecture document",
    "Fasse die Seite Berechtigungen zusammen": "Berechtigungen",
    "Bitte fasse die Reiserichtlinie kurz zusammen.": "Reiserichtlinie",
    "Zusammenfassung der Reiserichtlinie": "Reiserichtlinie",
    "Résume la politique de voyage": "politique de voyage",
    "resume l'article monnaie": "monnaie",
    "un résumé du guide sécurité": "sécurité",
    "¿Resume el módulo de control horario?": "módulo de control horario",
    "Resumen de la página Certificados": "Certificados",
    "总结一下安装指南": "安装指南",
    "インストールガイドを要約してください": "インストールガイド",
    "水車小屋を簡単にまとめて": "水車小屋",
    "水車小屋の概要を教えてください": "水車小屋",
    "水車小屋についてまとめてください": "水車小屋",
}
SIDES = {
    "Compare the handbook and the role library": ("handbook", "role library"),
    "compare Standard with Plus": ("Standard", "Plus"),
    "What is the difference between Standard and Plus?": ("Standard", "Plus"),
    "How do Standard and Plus differ?": ("Standard", "Plus"),
    "水車と風車の違いは何ですか？": ("水車", "風車"),
    "ひとりとみんなの違いを教えて": ("ひとり", "みんな"),
    "Standard と Plus はどう違いますか": ("Standard", "Plus"),
    "水車と風車を比較してください": ("水車", "風車"),
    "犬と猫の違いは何ですか": ("犬", "猫"),
    "猫和狗有什么区别？": ("猫", "狗"),
    "水車と風車、何が違う？": ("水車", "風車"),
    "水車は風車とどう違いますか": ("水車", "風車"),
    "Was ist der Unterschied zwischen der Pumpe und dem Ventil?": ("Pumpe", "Ventil"),
    "Welche Unterschiede gibt es zwischen A1 und B2?": ("A1", "B2"),
    "quelle est la différence entre l'audit et les tests automatisés ?": ("audit", "tests automatisés"),
    "quelle différence entre PaaS et IaaS": ("PaaS", "IaaS"),
    "¿Cuál es la diferencia entre el plan básico y el premium?": ("plan básico", "premium"),
    "qual é a diferença entre o plano A e o plano B?": ("plano A", "plano B"),
    "qual è la differenza tra il contratto e la proposta?": ("contratto", "proposta"),
    "wat is het verschil tussen een rol en een recht?": ("rol", "recht"),
    "管理员和编辑有什么区别？": ("管理员", "编辑"),
    "比较一下MySQL和PostgreSQL": ("MySQL", "PostgreSQL"),
}
NARROW = """\
Which themes are there?
Resume the upload after an error
resume uploads
Wie fasse ich Zellen zusammen?
Worum geht es bei der Schnellmaske?
Wovon handelt die Anleitung zum Zauberstab?
De quoi parle la directive Listen ?
このコマンドは何について書かれていますか
How many days of vacation do I get?
What is the deductible of Northwind Health Plus?
How do I install it?
What does PerksPlus not cover?
What does Northwind Standard cover?
What is a summary of benefits and coverage?
What is Keycloak?
Which vaccines are covered?
What is covered?
Does it cover acupuncture?
What about the price?
Who is this for?
When was this written?
Where are these documents stored?
How do I delete this?
What is this error about to expire?
List all holidays
Worum geht es im Vertrag?
De quoi parle le contrat ?
咖啡机有什么内容物？
这道菜是关于什么的
この機械は何の役に立ちますか
このコマンドはどんなときに使いますか
このページを削除するにはどうしますか
水車と風車の修理の費用はいくらですか
友人との間違いを直すには
总结报告怎么写？
总结经验的方法有哪些？
What is the difference in prescription coverage between the two plans?
How do I write a summary of a document?
What is the about page?
Hello
"""


@pytest.mark.parametrize("question", WHOLE.splitlines())
def test_a_question_about_everything_is_broad(question: str) -> None:
    """In several wordings, polite or short."""
    breadth = breadth_of(question)
    assert breadth is not None
    assert breadth.is_whole


@pytest.mark.parametrize(("question", "subject"), SUBJECTS.items())
def test_an_overview_of_one_thing_names_it(question: str, subject: str) -> None:
    """Without its article."""
    breadth = breadth_of(question)
    assert breadth is not None
    assert (breadth.subject, breadth.sides) == (subject, ())


@pytest.mark.parametrize(("question", "sides"), SIDES.items())
def test_a_comparison_of_two_things_names_both(question: str, sides: tuple[str, str]) -> None:
    """As a whole, not in one respect."""
    breadth = breadth_of(question)
    assert breadth is not None
    assert breadth.sides == sides


@pytest.mark.parametrize("question", NARROW.splitlines())
def test_a_question_for_a_fact_is_not_broad(question: str) -> None:
    """It is answered from passages, as it always was."""
    assert breadth_of(question) is None


def test_odd_questions_take_no_time() -> None:
    """Whatever is repeated."""
    odd = ["what is " * 500, "summary of " * 27, "all " * 70 + "about", "give me a very " + "brief " * 40 + "summary"]
    odd += ["水車と" * 100, "これについての" * 40, "どんな" * 60 + "がありますか", "水車の" * 90 + "概要は"]
    odd += ["compare a and " * 20, "what are the main key " * 12, "what does " + "cover " * 45]
    started = time.process_time()
    for text in odd:
        breadth_of(text)
    assert time.process_time() - started < 1


@pytest.mark.parametrize("question", ["What changed in the latest version?", "what happened in room 101"])
def test_a_large_index_is_not_looked_through_for_what_changed_in_a_version(question: str) -> None:
    """Its store is not even asked: the finder has none."""
    finder: Any = SimpleNamespace(
        options=SimpleNamespace(as_of=None),
        index=SimpleNamespace(shard=3),
        knowledge_base=SimpleNamespace(name="Mill", slug="mill"),
    )
    assert find_overview(finder, understand(question), ()) == Overview()


@pytest.mark.parametrize("heading", ["Comparison", "Confronto", "Vergelijking", "違い"])
def test_a_passage_below_a_heading_that_promises_a_comparison_is_the_answer(heading: str) -> None:
    """If it names both sides; below any other heading it is one of many."""
    sides = (("bread", None), ("pasta", None))
    both = passage("Bread and pasta.", breadcrumb=(heading,), scores={"trust": 0.9})
    assert Overview(kind="comparison", sides=sides).but_for([both], 0.5).is_empty
    assert not Overview(kind="comparison", sides=sides).but_for([replace(both, breadcrumb=("Food",))], 0.5).is_empty
