"""Links of a PDF page into the web: where on the page they can be clicked, and where they lead."""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

MOST_LINKS = 5000  # on a page
_BAND = 20.0  # points


class Area(NamedTuple):
    """A rectangle that can be clicked, in points."""

    left: float
    bottom: float
    right: float
    top: float
    address: str


class Weblinks:
    """The links of a page, kept by bands of its height so that one is found quickly."""

    def __init__(self, document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> None:
        self._bands: dict[int, list[Area]] = defaultdict(list)
        for area in _areas(document, page):
            low, high = (int(min(max(y, -9e4), 9e4) // _BAND) for y in (area.bottom, area.top))
            for band in range(low, min(high, low + 500) + 1):
                self._bands[band].append(area)

    def at(self, x: float, y: float) -> str:
        """The address behind a point, or ""."""
        for area in self._bands.get(int(y // _BAND), ()):
            if area.left <= x <= area.right and area.bottom <= y <= area.top:
                return area.address
        return ""


def _areas(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> Iterator[Area]:
    position = ctypes.c_int(0)
    link = pdfium.FPDF_LINK()
    for _ in range(MOST_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            return
        address = _address(document, link)
        if not address:
            continue
        quads = pdfium.FPDFLink_CountQuadPoints(link)
        quad = pdfium.FS_QUADPOINTSF()
        for at in range(min(quads, 100)):
            if pdfium.FPDFLink_GetQuadPoints(link, at, quad):
                across = (quad.x1, quad.x2, quad.x3, quad.x4)
                up = (quad.y1, quad.y2, quad.y3, quad.y4)
                yield Area(min(across), min(up), max(across), max(up), address)
        rectangle = pdfium.FS_RECTF()
        if quads <= 0 and pdfium.FPDFLink_GetAnnotRect(link, rectangle):
            low, high = sorted((rectangle.bottom, rectangle.top))
            yield Area(rectangle.left, low, rectangle.right, high, address)


def _address(document: pypdfium2.PdfDocument, link: pdfium.FPDF_LINK) -> str:
    action = pdfium.FPDFLink_GetAction(link)
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return ""
    size = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, size)
    return buffer.value.decode("utf-8", "replace").strip()
