"""open_deep_research: open_deep_research_agent.py SANDBOX PROMPT_FILE OUT_FILE.

The model is MODEL at OPENAI_BASE_URL with OPENAI_API_KEY. Search and pages are tools of MCP.
"""

import asyncio
import os
import sys
from pathlib import Path

from open_deep_research.deep_researcher import deep_researcher


async def main() -> None:
    """Ask it once."""
    sandbox, prompt_file, out_file = sys.argv[1:]
    roles = ("research", "summarization", "compression", "final_report")
    configurable = {
        "allow_clarification": False,
        "search_api": "none",
        # It appends /mcp to the address.
        "mcp_config": {"url": sandbox, "tools": ["search", "fetch"], "auth_required": False},
        "mcp_prompt": "Search with `search`, and read with `fetch` what you cite.",
    } | {f"{role}_model": f"openai:{os.environ['MODEL']}" for role in roles}
    prompt = Path(prompt_file).read_text(encoding="utf-8")
    ended = await deep_researcher.ainvoke(
        {"messages": [{"role": "user", "content": prompt}]}, {"configurable": configurable}
    )
    Path(out_file).write_text(ended["final_report"], encoding="utf-8")


asyncio.run(main())
