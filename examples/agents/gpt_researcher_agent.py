"""gpt-researcher: gpt_researcher_agent.py PROMPT_FILE OUT_FILE.

Models, retriever and search come from its own variables: OPENAI_BASE_URL, OPENAI_API_KEY, FAST_LLM,
SMART_LLM, STRATEGIC_LLM, EMBEDDING, RETRIEVER=searx, SEARX_URL.
"""

import asyncio
import sys
from pathlib import Path

import tiktoken


class Words:
    """Counts words. The real tables are downloaded when first used, for its own costs alone."""

    def encode(self, text: str, **options: object) -> list[str]:
        """Its words."""
        return text.split()


tiktoken.get_encoding = tiktoken.encoding_for_model = lambda name: Words()

from gpt_researcher import GPTResearcher  # noqa: E402 - after the tables are replaced


async def main() -> None:
    """Ask it once."""
    prompt_file, out_file = sys.argv[1:]
    prompt = Path(prompt_file).read_text(encoding="utf-8")
    researcher = GPTResearcher(query=prompt)
    await researcher.conduct_research()
    Path(out_file).write_text(await researcher.write_report(), encoding="utf-8")


asyncio.run(main())
