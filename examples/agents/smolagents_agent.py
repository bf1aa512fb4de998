"""smolagents: smolagents_agent.py tools|code SANDBOX PROMPT_FILE OUT_FILE.

The model is MODEL at OPENAI_BASE_URL with OPENAI_API_KEY. Its search speaks Brave.
"""

import json
import os
import sys
from pathlib import Path

from smolagents import (
    ApiWebSearchTool,
    CodeAgent,
    OpenAIModel,
    ToolCallingAgent,
    VisitWebpageTool,
)

kind, sandbox, prompt_file, out_file = sys.argv[1:]
model = OpenAIModel(
    os.environ["MODEL"],
    api_base=os.environ["OPENAI_BASE_URL"],
    api_key=os.environ["OPENAI_API_KEY"],
)
search = ApiWebSearchTool(
    endpoint=f"{sandbox}/res/v1/web/search", api_key="sandbox", rate_limit=None
)
agent_class = CodeAgent if kind == "code" else ToolCallingAgent
agent = agent_class(tools=[search, VisitWebpageTool()], model=model, max_steps=12)
result = agent.run(Path(prompt_file).read_text(encoding="utf-8"), return_full_result=True)
Path(out_file).write_text(str(result.output), encoding="utf-8")
if (used := result.token_usage) is not None:
    tokens = {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
    Path("usage.json").write_text(json.dumps(tokens))
# After its last step it writes an answer all the same: what is there counts as cut off.
sys.exit(0 if result.state == "success" else 1)
