"""Pages made by hand: PDF files byte by byte."""

from __future__ import annotations


def pdf(*pages: str, title: str = "", content: bytes | None = None, extra: str = "") -> bytes:
    """A PDF with a line of text a page. content, extra: a page's stream and its dictionary."""
    first = 4  # 1 catalog, 2 page tree, 3 font; then page and stream in turn
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F 12 Tf 72 700 Td ({text}) Tj ET".encode() if content is None else content
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 3 0 R>>>>"
            + f"/Contents {first + 2 * number + 1} 0 R>>".encode(),
            f"<</Length {len(stream)}{extra}>>stream\n".encode() + stream + b"\nendstream",
        ]
    objects.append(f"<</Title({title})>>".encode())
    return assemble(objects, info=len(objects))


def assemble(objects: list[bytes], info: int = 1, trailer: str = "") -> bytes:
    """A PDF of numbered objects, the first of which is its catalog."""
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj".encode() + content + b"endobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    root = f"/Size {len(objects) + 1}/Root 1 0 R/Info {info} 0 R{trailer}"
    return bytes(out) + f"trailer<<{root}>>\nstartxref\n{start}\n%%EOF\n".encode()
