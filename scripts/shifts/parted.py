"""A workbook in which no conditional format and no validation has columns that a shift moves and others that it leaves.

LibreOffice, like the file, has one formula for all cells of a rule. Before it shifts cells, each rule that would part is written as several,
one for each of its areas on either side of where the shift ends, all with the formulas that their own cells have. What LibreOffice
then makes of them is right for each cell.
"""
import re
import xml.etree.ElementTree as xml
import zipfile

from workbook import CELL, name_of, place

RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
RULES = re.compile(rb"<((?:\w+:)?(?:conditionalFormatting|dataValidation))(?=[ >])(?:[^>]*/>|.*?</\1>)", re.S)
LIST = re.compile(rb'(\bsqref=")([^"]*)(")|(<(?:\w+:)?sqref>)([^<]*)(<)')
FORMULA = re.compile(rb"(<((?:\w+:)?(?:formula[12]?|f))(?: [^>]*)?>)([^<]+)(</\2>)")
QUOTED = re.compile(r'("(?:[^"]|"")*"|\'(?:[^\']|\'\')*\')')
LINES = re.compile(r"(?<![\w$.])(\$?[A-Z]{1,3}:\$?[A-Z]{1,3}|\$?[0-9]+:\$?[0-9]+)(?![\w(])")


def divided(source, target, shift):
    """Writes the workbook in which the rules of the sheet of a shift are divided. It returns whether there are any."""
    try:
        with zipfile.ZipFile(source) as book:
            part = part_of(book, shift.get("named", shift["sheet"]))
            if part is None:
                return False
            before = book.read(part)
            after = RULES.sub(lambda m: several(m[0], shift), before)
            if after == before:
                return False
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
                for item in book.infolist():
                    out.writestr(item.filename, after if item.filename == part else book.read(item.filename))
            return True
    except (zipfile.BadZipFile, xml.ParseError, KeyError, NotImplementedError):
        return False


def part_of(book, sheet):
    targets = {r.get("Id"): r.get("Target") for r in xml.fromstring(book.read("xl/_rels/workbook.xml.rels"))}
    for e in xml.fromstring(book.read("xl/workbook.xml")).iter():
        if e.tag.endswith("}sheet") and e.get("name", "").lower() == sheet.lower():
            target = targets[e.get(RELATION)]
            return target[1:] if target.startswith("/") else "xl/" + target
    return None


def several(rule, shift):
    listed = LIST.search(rule)
    if not listed:
        return rule
    areas = [corners(text) for text in (listed[2] or listed[5] or b"").decode().split()]
    if not areas or None in areas:
        return rule
    first = min(a[0] for a in areas), min(a[1] for a in areas)
    parts = [part for area in areas for part in halves(area, shift)]
    if len(parts) < 2 or not any(shift["Left"] <= p[1] - 1 <= shift["Right"] for p in parts):
        return rule
    made = [copy(rule, listed, part, part[0] - first[0], part[1] - first[1]) for part in parts]
    return rule if None in made else b"".join(made)


def corners(text):
    first, _, last = text.replace("$", "").partition(":")
    (top, left), (bottom, right) = place(first), place(last or first)
    return (top, left, bottom, right) if top and bottom else None


def halves(area, shift):
    """The parts of an area left of the columns that move, in them, and right of them."""
    top, left, bottom, right = area
    begin, end = shift["Left"] + 1, shift["Right"] + 1
    for a, b in ((left, min(right, begin - 1)), (max(left, begin), min(right, end)), (max(left, end + 1), right)):
        if a <= b:
            yield top, a, bottom, b


def copy(rule, listed, part, rows, columns):
    """The rule for a part of its cells; None where a formula of it would leave the sheet."""
    area = f"{name_of(part[0] - 1, part[1] - 1)}:{name_of(part[2] - 1, part[3] - 1)}".encode()
    at = 2 if listed[2] is not None else 5
    rule = rule[:listed.start(at)] + area + rule[listed.end(at):]
    try:
        return FORMULA.sub(lambda m: m[1] + filled(m[3].decode(), rows, columns).encode() + m[4], rule)
    except ValueError:
        return None


def filled(text, rows, columns):
    """A formula filled so many rows and columns away."""
    def cell(m):
        row, column = place(m[0])
        row, column = row if m[3] else row + rows, column if m[1] else column + columns
        if row < 1 or column < 1:
            raise ValueError
        letters = re.match("[A-Z]+", name_of(row - 1, column - 1))[0]
        return f"{m[1]}{letters}{m[3]}{row}"

    pieces = QUOTED.split(text)
    if (rows or columns) and any(LINES.search(piece) for piece in pieces[::2]):
        raise ValueError
    return "".join(piece if i % 2 else CELL.sub(cell, piece) for i, piece in enumerate(pieces))
