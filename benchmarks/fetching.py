"""How fast cited pages are fetched, read and kept, beside bare requests for the same pages.

1,000 pages of 50 loopback hosts that answer after 50 ms: articles, PDFs, Chinese encodings,
redirects, slow pages, dead ones, and servers that fail at first. The floor asks for each once
with the same HTTP library and as many connections, and looks at nothing that comes back.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

from benchmarks.material import ROOT

PAGES = 1_000
HOSTS = 50
LATENCY = 0.05
CONNECTIONS = 32
KINDS = (
    *("/article?{}",) * 8,
    *("/ok/{}",) * 2,
    *("/slow/{}",) * 2,
    *("/pdf/{}",) * 2,
    "/chinese/gb18030?{}",
    "/chinese/gbk/silent?{}",
    "/redirect/2?{}",
    "/gzip/{}",
    "/status/404?{}",
    "/unavailable-once/{}",
)


@contextmanager
def site() -> Iterator[int]:
    """The port of the site, which is a process of its own."""
    command = [sys.executable, "-m", "tests.neighbours", str(HOSTS), str(LATENCY)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.kill()


def addresses(port: int, run: str) -> list[str]:
    """A thousand addresses that no other run has asked for."""
    kinds = islice(cycle(KINDS), PAGES)
    return [
        f"http://127.0.0.{number % HOSTS + 1}:{port}{kind.format(f'{run}{number}')}"
        for number, kind in enumerate(kinds)
    ]


def bare(urls: list[str]) -> float:
    """Seconds that as many requests take with nothing done to what comes back."""
    import aiohttp

    async def all_pages() -> None:
        left = iter(urls)
        connector = aiohttp.TCPConnector(limit=CONNECTIONS)
        async with aiohttp.ClientSession(connector=connector) as http:

            async def ask() -> None:
                for url in left:
                    async with http.get(url) as answer:
                        await answer.read()

            await asyncio.gather(*(ask() for _ in range(CONNECTIONS)))

    began = time.perf_counter()
    asyncio.run(all_pages())
    return time.perf_counter() - began


def ours(urls: list[str], port: int) -> tuple[float, str, str]:
    """Seconds until the last page is on the disk, what came of the pages, and of their archive."""
    from deepassay.run.asking.sources import fetch
    from deepassay.run.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "agent" / "t1.md"
        report.parent.mkdir()
        entries = "\n".join(f"[{number}] Page {url}" for number, url in enumerate(urls, start=1))
        report.write_text(f"# Report\n\nAll of it [1-{len(urls)}].\n\n## References\n\n{entries}\n")
        pages = Path(folder) / "pages.assay"
        settings = Settings(
            max_connections=CONNECTIONS,
            deadline=30.0,
            allow_host=tuple(f"127.0.0.{number}:{port}" for number in range(1, HOSTS + 1)),
        )
        began = time.perf_counter()
        harvest = fetch([report], pages, settings)
        seconds = time.perf_counter() - began
        assert harvest.done == harvest.total == len(urls), harvest
        states = ", ".join(f"{count} {state}" for state, count in harvest.states.items())
        return seconds, states, moved(pages)


def moved(pages: Path) -> str:
    """How long it takes to carry pages to another place in a web archive."""
    from deepassay.run.archives import import_pages, write_archive

    archive, elsewhere = pages.with_name("pages.warc.gz"), pages.with_name("elsewhere.assay")
    began = time.perf_counter()
    write_archive(pages, archive)
    exported = time.perf_counter()
    import_pages([archive], elsewhere, None)
    imported = time.perf_counter()
    size = archive.stat().st_size / 1e6
    write_archive(elsewhere, archive.with_name("again.warc.gz"))
    assert archive.read_bytes() == archive.with_name("again.warc.gz").read_bytes()
    return (
        f"exported in {exported - began:.2f} s ({size:.1f} MB), "
        f"imported elsewhere in {imported - exported:.2f} s, the same to the byte"
    )


def main() -> None:
    """Print the comparison."""
    with site() as port:
        floor = bare(addresses(port, "bare"))
        seconds, states, archive = ours(addresses(port, "ours"), port)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"fetching, {PAGES} pages at {LATENCY} s, {CONNECTIONS} connections ({states}): "
        f"{seconds:.2f} s ({seconds / floor:.2f} x bare requests {floor:.2f} s); "
        f"peak {peak:.0f} MB, of a child {child:.0f} MB; {archive}"
    )


if __name__ == "__main__":
    main()
