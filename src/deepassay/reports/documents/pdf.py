"""PDF to Markdown: PDFium gives characters and links, `layout` makes blocks of their lines."""

from __future__ import annotations

from contextlib import closing

import pypdfium2

from deepassay.reports.documents.furniture import Sheet
from deepassay.reports.documents.layout import layout
from deepassay.reports.documents.lines import read_lines
from deepassay.reports.documents.refusal import Refused

MOST_PAGES = 300
MOST_CHARACTERS = 3_000_000


def pdf_markdown(body: bytes) -> str:
    """The text of a PDF: headings and tables by its tags, or by size and ruling; lists; links.

    Lines that return at the head or foot of the pages, and page numbers, are left out.
    Raises Refused.
    """
    try:
        with closing(pypdfium2.PdfDocument(body)) as document:
            if len(document) > MOST_PAGES:
                raise Refused(
                    f"it has {len(document)} pages; at most {MOST_PAGES} are read.",
                    "Give the part that is the report.",
                )
            sheets = _sheets(document)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Refused("it is locked with a password.", "Save it without one.") from error
        raise Refused(
            "it is damaged, or no PDF.", "Open it in a reader and print it into a new PDF."
        ) from error
    text = layout(sheets)
    if not text.strip():
        raise Refused(
            "it holds no text: scanned images, perhaps.", "Run text recognition (OCR) on it first."
        )
    return text


def _sheets(document: pypdfium2.PdfDocument) -> list[Sheet]:
    sheets: list[Sheet] = []
    length = 0
    for number in range(len(document)):
        # Closed in this order: PDFium crashes on a document that is closed before its pages.
        with closing(document[number]) as page, closing(page.get_textpage()) as textpage:
            length += textpage.count_chars()
            if length > MOST_CHARACTERS:
                raise Refused(
                    f"it holds more than {MOST_CHARACTERS:,} characters.",
                    "Give the part that is the report.",
                )
            sheets.append(Sheet(page.get_height(), read_lines(document, page, textpage)))
    return sheets
