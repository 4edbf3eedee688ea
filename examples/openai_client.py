"""Ask Headwater with OpenAI's client: once in one piece with citations, then a follow-up, streamed.

pip install openai
python openai_client.py http://127.0.0.1:8080 notes "How often do I descale the machine?" "And with what?"
"""

import sys

from openai import OpenAI


def main(url: str, knowledge_base: str, question: str, follow_up: str) -> None:
    """Ask a question and a follow-up."""
    client = OpenAI(base_url=f"{url}/v1", api_key="none")  # Headwater has no keys yet, but the client wants one
    model = f"headwater/{knowledge_base}"
    messages = [{"role": "user", "content": question}]

    reply = client.chat.completions.create(
        model=model,
        messages=messages,
        extra_body={"headwater": {"sources": "fields"}},  # sources as fields, not as a list below the text
    )
    answer = reply.choices[0].message
    print(f"{question}\n{answer.content}\n")
    for annotation in answer.annotations or []:
        print(f"  {annotation.url_citation.title}: {annotation.url_citation.url}")

    print(f"\n{follow_up}")
    messages += [{"role": "assistant", "content": answer.content}, {"role": "user", "content": follow_up}]
    for chunk in client.chat.completions.create(model=model, messages=messages, stream=True):
        for choice in chunk.choices:
            print(choice.delta.content or "", end="", flush=True)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
