"""Small writers of DOCX and PDF, so that tests say what stands in a document, and where."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

# ------------------------------------------------------------------ DOCX

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_STYLES = ("Title", "heading 1", "heading 2", "heading 3", "Quote")
_NUMBERING = "".join(
    f'<w:abstractNum w:abstractNumId="{number}">'
    + "".join(f'<w:lvl w:ilvl="{level}"><w:numFmt w:val="{form}"/></w:lvl>' for level in range(3))
    + "</w:abstractNum>"
    for number, form in ((1, "bullet"), (2, "decimal"))
) + "".join(f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>' for n in (1, 2))


def run(text: str, look: str = "") -> str:
    """A run. look: what stands in its properties, e.g. `<w:b/>`."""
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(*runs: str, style: str = "", item: tuple[int, int] | None = None) -> str:
    """A paragraph. item: numbering (1 bullets, 2 figures) and level, of a list."""
    properties = f'<w:pStyle w:val="{style.replace(" ", "")}"/>' if style else ""
    if item:
        properties += f'<w:numPr><w:ilvl w:val="{item[1]}"/><w:numId w:val="{item[0]}"/></w:numPr>'
    words = "".join(each if each.startswith("<") else run(each) for each in runs)
    return f"<w:p><w:pPr>{properties}</w:pPr>{words}</w:p>"


def cell(*blocks: str, across: int = 1, merge: str = "") -> str:
    """A cell. across: columns it spans. merge: `restart` or `continue`, downward."""
    properties = f'<w:gridSpan w:val="{across}"/>' if across > 1 else ""
    properties += f'<w:vMerge w:val="{merge}"/>' if merge else ""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{''.join(blocks)}</w:tc>"


def table(*rows: tuple[str, ...]) -> str:
    """A table of cells."""
    return "<w:tbl>" + "".join(f"<w:tr>{''.join(row)}</w:tr>" for row in rows) + "</w:tbl>"


def link(words: str, number: int) -> str:
    """A link to the address of that number, see `docx`."""
    return f'<w:hyperlink r:id="link{number}">{run(words)}</w:hyperlink>'


def note(number: int, kind: str = "footnote") -> str:
    """The mark of a footnote or endnote."""
    return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'


def docx(
    *blocks: str,
    links: tuple[str, ...] = (),
    footnotes: tuple[str, ...] = (),
    endnotes: tuple[str, ...] = (),
    extra: dict[str, str] | None = None,
) -> bytes:
    """A DOCX. links: addresses. footnotes, endnotes: blocks. All count from 1."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}">'
        f'<w:name w:val="{name}"/></w:style>'
        for name in _STYLES
    )
    targets = "".join(
        f'<Relationship Id="link{number}" Type="{_OFFICE}/hyperlink" '
        f'Target="{escape(url)}" TargetMode="External"/>'
        for number, url in enumerate(links, start=1)
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship '
        f'Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{targets}</Relationships>",
        "word/document.xml": f"<w:document {_W} {_R}><w:body>{''.join(blocks)}</w:body>"
        "</w:document>",
        "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
        "word/numbering.xml": f"<w:numbering {_W}>{_NUMBERING}</w:numbering>",
        "word/footnotes.xml": _notes("footnote", footnotes),
        "word/endnotes.xml": _notes("endnote", endnotes),
    } | (extra or {})
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return body.getvalue()


def _notes(kind: str, blocks: tuple[str, ...]) -> str:
    inner = "".join(
        f'<w:{kind} w:id="{number}">{block}</w:{kind}>'
        for number, block in enumerate(blocks, start=1)
    )
    return f"<w:{kind}s {_W} {_R}>{inner}</w:{kind}s>"


# ------------------------------------------------------------------ PDF

WIDTH = 0.6
"""Of every character but the Chinese ones, as a share of the size: the type is Courier."""


@dataclass
class Page:
    """A page of 600 x 800 points. A text is put where it is told to begin."""

    operators: list[str] = field(default_factory=list)
    links: list[tuple[float, float, float, float, str]] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)
    wide: set[str] = field(default_factory=set)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float = 10,
        *,
        bold: bool = False,
        url: str = "",
        tag: str = "",
    ) -> float:
        """Write words, and give where they end. url: that they link to. tag: path in the tree."""
        wide = any(ord(character) > 255 for character in words)
        font = "F3" if wide else "F2" if bold else "F1"
        shown = (
            f"({words})".replace("\\", "\\\\")
            if not wide
            else f"<{words.encode('utf-16-be').hex()}>"
        )
        operator = f"BT /{font} {size} Tf {x} {y} Td {shown} Tj ET"
        if tag:
            operator = f"/X <</MCID {len(self.marked)}>> BDC {operator} EMC"
            self.marked.append(tag)
        self.operators.append(operator)
        self.wide |= set(words) if wide else set()
        end = x + len(words) * size * (1 if wide else WIDTH)
        if url:
            self.links.append((x, y - 2, end, y + size, url))
        return end

    def lines(self, words: list[str], x: float, y: float, size: float = 10) -> float:
        """Write a paragraph of lines, and give the height of its last one."""
        for number, line in enumerate(words):
            self.text(x, y - number * 1.2 * size, line, size)
        return y - (len(words) - 1) * 1.2 * size

    def stroke(self, *points: tuple[float, float]) -> None:
        """Rule a line."""
        (x, y), *rest = points
        self.operators.append(f"{x} {y} m " + " ".join(f"{a} {b} l" for a, b in rest) + " S")

    def grid(self, across: list[float], up: list[float]) -> None:
        """Rule a table."""
        for x in across:
            self.stroke((x, up[0]), (x, up[-1]))
        for y in up:
            self.stroke((across[0], y), (across[-1], y))


class _Objects:
    """The objects of a PDF, numbered from 1 as they come."""

    def __init__(self) -> None:
        self._bodies: list[str] = []

    def add(self, body: str = "") -> int:
        self._bodies.append(body)
        return len(self._bodies)

    def put(self, number: int, body: str) -> None:
        self._bodies[number - 1] = body

    def stream(self, content: str) -> int:
        return self.add(f"<</Length {len(content)}>>\nstream\n{content}\nendstream")

    def file(self, root: int) -> bytes:
        out, places = b"%PDF-1.7\n", []
        for number, body in enumerate(self._bodies, start=1):
            places.append(len(out))
            out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
        table = "".join(f"{place:010} 00000 n \n" for place in places)
        size = len(places) + 1
        end = (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer <</Size {size} /Root {root} 0 R>>"
        )
        return out + f"{end}\nstartxref\n{len(out)}\n%%EOF\n".encode()


def pdf(*pages: Page) -> bytes:
    """A PDF, with tags if its pages have some."""
    objects = _Objects()
    root, tree, top = objects.add(), objects.add(), objects.add()
    fonts = _fonts(objects, set().union(*(page.wide for page in pages)))
    kids, parents, elements = [], [], _Elements(objects, top)
    for number, page in enumerate(pages):
        kids.append(objects.add())
        content = objects.stream("\n".join(page.operators))
        links = " ".join(
            f"<</Type /Annot /Subtype /Link /Rect [{a} {b} {c} {d}] /A <</S /URI /URI ({url})>>>>"
            for a, b, c, d, url in page.links
        )
        objects.put(
            kids[-1],
            f"<</Type /Page /Parent {tree} 0 R /MediaBox [0 0 600 800] /Contents {content} 0 R "
            f"/Resources <</Font <<{fonts}>>>> /Annots [{links}] /StructParents {number}>>",
        )
        leaves = [elements.leaf(tag, at, kids[-1]) for at, tag in enumerate(page.marked)]
        parents.append(f"{number} [{' '.join(f'{leaf} 0 R' for leaf in leaves)}]")
    elements.write()
    references = " ".join(f"{kid} 0 R" for kid in kids)
    objects.put(tree, f"<</Type /Pages /Count {len(kids)} /Kids [{references}]>>")
    objects.put(
        top,
        f"<</Type /StructTreeRoot /K [{elements.children('')}] "
        f"/ParentTree <</Nums [{' '.join(parents)}]>>>>",
    )
    tagged = any(page.marked for page in pages)
    structure = f"/StructTreeRoot {top} 0 R /MarkInfo <</Marked true>>" if tagged else ""
    objects.put(root, f"<</Type /Catalog /Pages {tree} 0 R {structure}>>")
    return objects.file(root)


class _Elements:
    """The tree of tags. A path such as `Table/TR1/TD2` is made of kinds, with numbers."""

    def __init__(self, objects: _Objects, top: int) -> None:
        self._objects = objects
        self._top = top
        self._numbers: dict[str, int] = {}
        self._leaves: dict[str, tuple[int, list[int]]] = {}

    def leaf(self, path: str, mark: int, page: int) -> int:
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            self._numbers.setdefault("/".join(parts[:depth]), 0)
        for above in [path for path, number in self._numbers.items() if not number]:
            self._numbers[above] = self._objects.add()
        self._leaves.setdefault(path, (page, []))[1].append(mark)
        return self._numbers[path]

    def children(self, path: str) -> str:
        return " ".join(
            f"{number} 0 R"
            for other, number in self._numbers.items()
            if other.rpartition("/")[0] == path
        )

    def write(self) -> None:
        for path, number in self._numbers.items():
            above, _, name = path.rpartition("/")
            kind = name if name[:1] == "H" else name.rstrip("0123456789")
            page, marks = self._leaves.get(path, (0, []))
            on = f"/Pg {page} 0 R" if page else ""
            inner = f"{' '.join(map(str, marks))} {self.children(path)}"
            parent = self._numbers.get(above, self._top)
            self._objects.put(
                number,
                f"<</Type /StructElem /S /{kind.split(':')[0]} /P {parent} 0 R {on} /K [{inner}]>>",
            )


def _fonts(objects: _Objects, wide: set[str]) -> str:
    """Courier, bold Courier, and a font of Chinese characters that are named by their code."""
    plain = objects.add("<</Type /Font /Subtype /Type1 /BaseFont /Courier>>")
    bold = objects.add("<</Type /Font /Subtype /Type1 /BaseFont /Courier-Bold>>")
    codes = [character.encode("utf-16-be").hex() for character in sorted(wide)]
    named = "\n".join(f"<{code}> <{code}>" for code in codes)
    unicode = objects.stream(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{named}\nendbfchar\nendcmap end end"
    )
    inner = objects.add(
        "<</Type /Font /Subtype /CIDFontType2 /BaseFont /Song /DW 1000 "
        "/CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>>>>"
    )
    song = objects.add(
        "<</Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /Identity-H "
        f"/DescendantFonts [{inner} 0 R] /ToUnicode {unicode} 0 R>>"
    )
    return f"/F1 {plain} 0 R /F2 {bold} 0 R /F3 {song} 0 R"
