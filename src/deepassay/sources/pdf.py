"""The text of a cited PDF, by PDFium."""

from __future__ import annotations

import re
from contextlib import closing

import pypdfium2

from deepassay.sources.body import UnreadableBody
from deepassay.sources.page import Failure

MOST_PAGES = 300
# What PDFium writes, by release, for a hyphen that only breaks a word at the end of a line.
_HYPHEN = re.compile("[\x02\ufffe]\n?")


def pdf_text(body: bytes, most: int) -> tuple[str, str]:
    """The text of a PDF, pages apart by a blank line, and its title. PDFium is not thread-safe.

    most: characters after which no further page is read. Raises UnreadableBody for a file that is
    broken, locked, too long, or without any text, as scans are.
    """
    try:
        with closing(pypdfium2.PdfDocument(body)) as document:
            pages = len(document)
            if pages > MOST_PAGES:
                detail = f"A PDF of {pages} pages; at most {MOST_PAGES} are read."
                raise UnreadableBody(Failure.TOO_LARGE, detail)
            title = " ".join(document.get_metadata_value("Title").split())
            texts: list[str] = []
            length = 0
            for number in range(pages):
                texts.append(_page_text(document, number))
                length += len(texts[-1])
                if length > most:
                    break
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableBody(Failure.BLOCKED, "The PDF asks for a password.") from error
        raise UnreadableBody(Failure.NOT_TEXT, f"A broken PDF: {error}") from error
    if not length:
        detail = f"The PDF holds no text on {pages} pages: scanned images, perhaps."
        raise UnreadableBody(Failure.NOT_TEXT, detail)
    return "\n\n".join(texts), title


def _page_text(document: pypdfium2.PdfDocument, number: int) -> str:
    # Closed in this order: PDFium crashes on a document that is closed before its pages.
    with closing(document[number]) as page, closing(page.get_textpage()) as textpage:
        text: str = textpage.get_text_bounded()
    return _HYPHEN.sub("", text.replace("\r\n", "\n")).strip()
