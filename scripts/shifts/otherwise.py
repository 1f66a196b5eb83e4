"""What LibreOffice does otherwise than Excel, and than Mooring on purpose: differences that are not wrong.

Each function reports whether it explains a difference: shift is what was tried, before the workbook as it was, kind and key
say what differs.
Its first line is printed with how often it was needed.
"""
import re

from workbook import CELL, place

BORDER = re.compile(r"\('(border|diagonal)[^']*', '[^']*'\),? ?")


def drawing_beside(shift, before, kind, key, ours, theirs):
    """LibreOffice moves a drawing whose first cell moves; Excel, and we, only one all of whose columns do"""
    if kind != "drawings" or ours != before.facts[kind].get(key) or None in (ours, theirs):
        return False
    if ours[1] is None:  # its columns can't be told: only a band that is wider than a picture is sure to have them all
        return shift["Right"] + 1 - place(ours[0])[1] < 10
    columns = [place(cell)[1] - 1 for cell in (ours[0], ours[1])]
    return columns[0] < shift["Left"] or columns[1] > shift["Right"]


def drawing_measured(shift, before, kind, key, ours, theirs):
    """LibreOffice keeps the ends of a drawing in its own measure: it may find the next row or one above there, or leave its size"""
    if kind != "drawings" or None in (ours, theirs) or None in (ours[1], theirs[1]):
        return False
    was = before.facts[kind].get(key)
    if was and all(place(cell)[0] - place(old)[0] == shift["Rows"] for cell, old in zip(ours, was)):
        return ours[0] == theirs[0]
    if ours[0] != theirs[0]:  # by one row, which is no shift that was missed
        return abs(place(ours[0])[0] - place(theirs[0])[0]) == 1 < abs(shift["Rows"]) and ours[1] == theirs[1]
    begins, ends = place(theirs[0])[0], place(theirs[1])[0]
    stretched = place(ours[1])[0] - ends == shift["Rows"] and begins <= shift["Row"] <= ends
    return ends < begins or stretched or abs(place(ours[1])[0] - ends) <= 1


def drawing_deleted(shift, before, kind, key, ours, theirs):
    """LibreOffice deletes a drawing with the cell that it begins in, or leaves it; Excel, and we, move it to where that was"""
    was = before.facts[kind].get(key)
    if kind != "drawings" or was is None or theirs is not None and place(theirs[0])[0] < place(was[0])[0]:
        return False
    return shift["Row"] < place(was[0])[0] <= shift["Row"] - shift["Rows"] + 1  # or a row above that, where its offset is larger than that


def drawing_hidden(shift, before, kind, key, ours, theirs):
    """LibreOffice places drawings by measure, which lets them slip by a row near hidden ones"""
    if kind != "drawings" or None in (ours, theirs) or not shift.get("hidden"):
        return False
    return abs(place(ours[0])[0] - place(theirs[0])[0]) <= 1


def first_row(shift, before, kind, key, ours, theirs):
    """A range that begins in the block's first row below its headings grows where rows are inserted there; in LibreOffice it moves"""
    if shift["Top"] != shift["Row"] - 1 or shift["Rows"] < 0 or None in (ours, theirs):
        return False
    begins = re.compile(rf"(\.\$?[A-Z]+\$?){shift['Row'] + 1 + shift['Rows']}(?=:)")
    moved = begins.sub(rf"\g<1>{shift['Row'] + 1}", str(theirs[0] if kind == "cells" else theirs))
    return moved == str(ours[0] if kind == "cells" else ours)


def chart_kept(shift, before, kind, key, ours, theirs):
    """LibreOffice leaves a chart the ranges all of whose cells are deleted, which then show others"""
    if kind != "charts" or shift["Rows"] > 0 or theirs is None:
        return False

    def ranges(list):
        return {area for what, areas in list or () if what != "plot-area" for area in areas}

    return ranges(theirs) <= ranges(before.facts[kind].get(key)) | ranges(ours)


def chart_partly(shift, before, kind, key, ours, theirs):
    """LibreOffice cuts off the columns of a chart's range that are deleted beside others; in Excel, and for us, it has what moves there"""
    if kind != "charts" or None in (ours, theirs) or shift["Rows"] > 0:
        return False
    was = {area for _, areas in before.facts[kind].get(key) or () for area in areas}
    mine, other = ({area for _, areas in list for area in areas} for list in (ours, theirs))

    def beside(area):
        columns = [place(cell)[1] - 1 for cell in area.split(":")]
        return columns[0] < shift["Left"] <= columns[-1] or columns[0] <= shift["Right"] < columns[-1]

    return all(area in was and beside(area) for area in mine - other)


def table_of_operations(shift, before, kind, key, ours, theirs):
    """LibreOffice makes formulas of a data table, that lose their cells where the table's in Excel has others"""
    begins = "of:=MULTIPLE.OPERATIONS"
    if kind != "cells" or not all(x and (x[0] or "").startswith(begins) for x in (ours, theirs)):
        return False
    return "#REF!" in theirs[0]


def pivot_anew(shift, before, kind, key, ours, theirs):
    """LibreOffice fills a pivot table anew from its cells when it opens a file, which may make it larger or smaller"""
    target = re.compile(r"'target-range-address', \"?'(.*?)\.([A-Z]+[0-9]+):[^:']*\.([A-Z]+)([0-9]+)'")
    if kind == "data-pilot-tables":
        return None not in (ours, theirs) and target.sub(r"\1.\2", ours) == target.sub(r"\1.\2", theirs)
    if kind not in ("cells", "formats") or kind == "cells" and any(x is not None and x[0] for x in (ours, theirs)):
        return False
    for pivot in before.facts["data-pilot-tables"].values():
        m = target.search(pivot)
        if m and m[1].strip("'") == key[0]:
            (top, left), (bottom, right) = place(m[2]), place(m[3] + m[4])
            more = 2 * abs(shift["Rows"])
            if top <= key[1] + 1 <= bottom + more and left <= key[2] + 1 <= right + more:
                return True
    return False


def chart_by_name(shift, before, kind, key, ours, theirs):
    """LibreOffice shrinks the range of a chart that names it by a defined name twice"""
    if kind != "charts" or None in (ours, theirs) or shift["Rows"] > 0:
        return False

    def ends(list):
        return [place(area.split(":")[-1]) for what, areas in list if what != "plot-area" for area in areas]

    mine, other = ends(ours), ends(theirs)
    return len(mine) == len(other) and all(a == b or 0 < a[0] - b[0] <= -shift["Rows"] and a[1] == b[1] for a, b in zip(mine, other))


def shared_lost(shift, before, kind, key, ours, theirs):
    """LibreOffice loses cells of a shared formula none of which is deleted"""
    if kind != "cells" or None in (ours, theirs) or "#REF!" in (ours[0] or "") or "#REF!" not in (theirs[0] or ""):
        return False
    for row in (key[1], key[1] - shift["Rows"]):  # where the formula stood: it must show what it did, of cells that are all left
        was = before.facts[kind].get((key[0], row, key[2]))
        rows = [int(m[4]) for m in CELL.finditer(was[0] or "")] if was else []
        if rows and was[1:] == ours[1:] and not any(shift["Row"] < n <= shift["Row"] - shift["Rows"] for n in rows):
            return True
    return False


def sparkline_left(shift, before, kind, key, ours, theirs):
    """LibreOffice 7.4 leaves sparklines where they are, and over the cells they were of"""
    return kind == "sparklines" and theirs == before.facts[kind].get(key)


def running_total(shift, before, kind, key, ours, theirs):
    """LibreOffice lets a running total beside the block's last row grow; for us it stays"""
    return (shift["at"] == "behind" and kind == "cells" and key[0] == shift["sheet"] and key[1] == shift["Row"] - 1
            and ours[0] == before.facts[kind][key][0])


def shared_total(shift, before, kind, key, ours, theirs):
    """LibreOffice leaves rows that follow those deleted in a shared formula's range whose last row is deleted beside it"""
    if kind != "cells" or key[0] != shift["sheet"] or None in (ours, theirs) or not 0 <= key[1] - shift["Row"] < -shift["Rows"]:
        return False
    return ours[0] == re.sub(r"[0-9]+\]", f"{shift['Row']}]", theirs[0] or "")


def below_headings(shift, before, kind, key, ours, theirs):
    """Rows inserted directly below the block's headings have the formats of the row below them, not of the headings"""
    return (kind == "formats" and shift["Top"] == shift["Row"] - 1 and key[0] == shift["sheet"]
            and shift["Row"] <= key[1] < shift["Row"] + shift["Rows"]
            and BORDER.sub("", ours or "") == BORDER.sub("", before.facts[kind].get((key[0], shift["Row"], key[2])) or ""))


def format_of_row(shift, before, kind, key, ours, theirs):
    """The format of a whole row stays with the row: an empty cell that moves into it or out of it takes what is there"""
    return kind == "formats" and key[0] == shift["sheet"] and not {key[1], key[1] - shift["Rows"]}.isdisjoint(shift["styled"] or ())


def rule_beheaded(shift, before, kind, key, ours, theirs):
    """LibreOffice keeps a conditional format's references from its first row, which is deleted; those of the rows left are meant"""
    if kind != "conditional formats" or None in (ours, theirs) or shift["Rows"] > 0 or key[0] != shift["sheet"]:
        return False
    lost = [rule for rule in theirs if rule not in ours]
    meant = [rule for rule in ours if rule not in theirs]
    if not any((key[0], row, key[2]) in before.facts[kind] for row in range(shift["Row"], shift["Row"] - shift["Rows"])):
        return False
    stood = before.facts[kind].get((key[0], key[1] - shift["Rows"], key[2])) or ()
    return len(meant) <= len(lost) and all(
        rule in stood or not "#REF!" in rule and all("#REF!" in other for other in lost) for rule in meant)


def border_of_merge(shift, before, kind, key, ours, theirs):
    """LibreOffice puts the border of merged cells together when it opens a file: they, and a row inserted below, have another then"""
    if kind != "formats" or key[0] != shift["sheet"]:
        return False
    row = shift["Row"] - 1 if shift["Row"] <= key[1] < shift["Row"] + shift["Rows"] else key[1]
    cell = str(before.facts["cells"].get((key[0], row, key[2])))
    return ("spanned" in cell or "covered" in cell) and BORDER.sub("", ours or "") == BORDER.sub("", theirs or "")


def rule_carried(shift, before, kind, key, ours, theirs):
    """LibreOffice takes a conditional format or a validation along with the format of the row above, where it ends"""
    if kind not in ("conditional formats", "validations") or key[0] != shift["sheet"]:
        return False
    if not shift["Row"] <= key[1] < shift["Row"] + shift["Rows"]:
        return False
    above = before.facts[kind].get((key[0], shift["Row"] - 1, key[2]))
    if kind == "validations":
        return ours is None and theirs == above
    return set(ours or ()) < set(theirs or ()) <= set(ours or ()) | set(above or ())


def rule_first_row(shift, before, kind, key, ours, theirs):
    """A rule that begins in the block's first row below its headings is for rows inserted there too; in LibreOffice it moves"""
    if kind != "conditional formats" or key[0] != shift["sheet"] or shift["Top"] != shift["Row"] - 1:
        return False
    if not shift["Row"] <= key[1] < shift["Row"] + shift["Rows"]:
        return False
    below = before.facts[kind].get((key[0], shift["Row"], key[2]))
    return set(theirs or ()) < set(ours or ()) and len(ours or ()) <= len(below or ())


def other_error(shift, before, kind, key, ours, theirs):
    """LibreOffice reads a formula that has lost its cells with another separator than it writes, or finds another error first"""
    def plain(text):
        return re.sub("[;~! ]", "", text or "")

    if kind != "cells" or None in (ours, theirs) or plain(ours[0]) != plain(theirs[0]):
        return False
    return "error" in ours and "error" in theirs


def rows_shown(shift, before, kind, key, ours, theirs):
    """Hidden rows into which rows move that are not are shown; in LibreOffice they stay hidden, and subtotals leave others out"""
    if kind != "cells" or not shift.get("hidden") or None in (ours, theirs):
        return False
    return ours[0] == theirs[0] and re.search(r"\b(SUBTOTAL|AGGREGATE)\(", ours[0] or "") is not None


EXEMPTIONS = (
    drawing_beside, drawing_measured, drawing_deleted, drawing_hidden, first_row, sparkline_left, running_total, shared_total,
    pivot_anew, chart_kept, chart_by_name, chart_partly, shared_lost, table_of_operations, below_headings, format_of_row,
    rule_beheaded, rule_carried, rule_first_row, border_of_merge, other_error, rows_shown,
)
