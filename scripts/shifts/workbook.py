"""What LibreOffice has of a workbook, by its flat OpenDocument."""
import collections
import re


def local(tag):
    return tag.rsplit("}", 1)[-1]


class Element:
    """Attributes of an element by their names without a prefix."""

    def __init__(self, e):
        self.e, self.attributes = e, {local(k): v for k, v in e.attrib.items()}

    def get(self, name, default=None):
        return self.attributes.get(name, default)


MANY = 1000  # repeated cells or rows that are no content
BEYOND = 20  # rows and columns behind all content in which conditional formats are compared


class Book:
    """The facts of a workbook: by kind, then by place or name."""

    def __init__(self, root):
        self.facts = collections.defaultdict(dict)
        self.styles, self.validations, self.fonts, self.numbers = {}, {}, {}, {}
        for e in root.iter():
            name = local(e.tag)
            if name == "style" and Element(e).get("family") == "table-cell":
                self.styles[Element(e).get("name")] = e
            elif name == "content-validation":
                v = Element(e)
                self.validations[v.get("name")] = validation(v)
            elif name == "spreadsheet":
                body = e
            elif name == "font-face":
                self.fonts[Element(e).get("name")] = Element(e).get("font-family")
            elif name.endswith("-style") and Element(e).get("name"):
                self.numbers[Element(e).get("name")] = e
        self.resolved, self.rules = {}, []
        for e in body:
            name = local(e.tag)
            if name == "table":
                self.table(e)
            elif name == "named-expressions":
                self.names("", e)
            elif name in ("database-ranges", "data-pilot-tables"):
                self.several(name, e)
        self.crop()

    def crop(self):
        """Leaves formats and validations out that stand right of or below all content, and rules that do so by far."""
        ends = {}
        for sheet, row, column in self.facts["cells"]:
            end = ends.setdefault(sheet, [0, 0])
            end[0], end[1] = max(end[0], row), max(end[1], column)
        for kind in ("formats", "validations"):
            self.facts[kind] = {at: f for at, f in self.facts[kind].items()
                                if at[0] in ends and at[1] <= ends[at[0]][0] and at[2] <= ends[at[0]][1]}
        judged = collections.defaultdict(list)
        for sheet, areas, rule in self.rules:
            bottom, right = ends.get(sheet, (0, 0))
            for (top, left), (low, far) in areas:
                for row in range(top - 1, min(low, bottom + BEYOND)):
                    for column in range(left - 1, min(far, right + BEYOND)):
                        judged[sheet, row, column].append(rule)
        self.facts["conditional formats"] = {at: tuple(sorted(set(rules))) for at, rules in judged.items()}

    def several(self, kind, e):
        for i, part in enumerate(e):
            p = Element(part)
            known = {k: v for k, v in p.attributes.items() if k not in ("name",)}
            inner = [(local(x.tag), sorted(Element(x).attributes.items())) for x in part.iter() if x is not part]
            if kind == "data-pilot-tables":  # what its fields show is made anew
                inner = [x for x in inner if x[0] == "source-cell-range"]
                known.pop("buttons", None)
            name = p.get("name", str(i))
            self.facts[kind][name] = f"{sorted(known.items())} {inner}"

    def names(self, scope, e):
        for part in e:
            p = Element(part)
            name = p.get("name")
            if not name.lower().startswith("_mooring_"):
                text = p.get("cell-range-address") or p.get("expression")
                self.facts["names"][scope + "!" + name] = relative(text, p.get("base-cell-address"))

    def table(self, e):
        t = Element(e)
        name = t.get("name")
        self.facts["print areas"][name] = t.get("print-ranges")
        columns, row = [], 0
        for part in e:
            kind = local(part.tag)
            if kind.startswith("table-column") or kind == "table-header-columns":
                for c in part.iter():
                    if local(c.tag) == "table-column":
                        c = Element(c)
                        columns.append((int(c.get("number-columns-repeated", 1)), c.get("default-cell-style-name")))
            elif kind == "named-expressions":
                self.names(name, part)
            elif kind == "shapes":
                for shape in part:
                    self.shape(name, "sheet", shape)
            elif kind == "conditional-formats":
                self.conditional(name, part)
            elif kind == "sparkline-groups":
                self.sparklines(name, part)
        defaults = [style for count, style in columns for _ in range(min(count, MANY))]
        self.columns = defaults
        for r in rows(e):
            row += self.row(name, row, r)

    def row(self, sheet, row, e):
        repeated = int(Element(e).get("number-rows-repeated", 1))
        column = 0
        for cell in e:
            c = Element(cell)
            count = int(c.get("number-columns-repeated", 1))
            facts = self.cell(sheet, row, column, c)
            style = c.get("style-name")
            for i in range(min(count, MANY)):
                look = style or (self.columns[column + i] if column + i < len(self.columns) else None)
                for k in range(repeated if repeated < MANY else 1):
                    at = (sheet, row + k, column + i)
                    if facts:
                        self.facts["cells"][at] = facts
                    if self.format(look):
                        self.facts["formats"][at] = self.format(look)
                    if c.get("content-validation-name"):
                        self.facts["validations"][at] = self.validations[c.get("content-validation-name")]
            column += count
        return repeated

    def cell(self, sheet, row, column, c):
        value = c.get("value") or c.get("date-value") or c.get("time-value") or c.get("boolean-value") or c.get("string-value")
        texts, kind = [], c.get("value-type")
        for part in c.e:
            if local(part.tag) == "p":
                texts.append("".join(part.itertext()))
            elif local(part.tag) == "annotation":
                self.facts["comments"][sheet, row, column] = "".join(
                    "".join(p.itertext()) for p in part.iter() if local(p.tag) == "p")
            else:
                self.shape(sheet, (row, column), part)
        facts = [refless(c.get("formula")), kind if value is None else c.get("value-type"), number(value)]
        if kind == "string" or "error" in c.attributes.values():
            facts.append("\n".join(texts))
        for name in ("number-columns-spanned", "number-rows-spanned", "number-matrix-columns-spanned", "number-matrix-rows-spanned"):
            if c.get(name, "1") != "1" or "matrix" in name and c.get(name):
                facts.append(f"{name} {c.get(name)}")
        if local(c.e.tag) == "covered-table-cell":
            facts.append("covered")
        return tuple(facts) if any(facts) else None

    def shape(self, sheet, at, e):
        s = Element(e)
        kind = local(e.tag)
        key = f"{sheet}/{kind}/{s.get('name', '')}"
        while key in self.facts["drawings"]:
            key += "'"
        self.facts["drawings"][key] = (at if at == "sheet" else name_of(*at), s.get("end-cell-address"))
        for part in e.iter():
            p = Element(part)
            names = ("cell-range-address", "values-cell-range-address", "label-cell-address")
            used = [v for k, v in sorted(p.attributes.items()) if k in names]
            if used and local(part.tag) in ("plot-area", "series", "categories", "domain", "error-indicator"):
                self.facts["charts"].setdefault(key, []).append((local(part.tag), used))

    def conditional(self, sheet, e):
        """Notes the rules of conditional formats: each is what judges the cells of its areas, whatever others it stands beside."""
        for part in e:
            areas = SHEET.sub("", Element(part).get("target-range-address") or "").split(" ")
            areas = [tuple(place(area.split(":")[i]) for i in (0, -1)) for area in areas]
            for rule in part:
                self.rules.append((sheet, areas, str([self.condition(x) for x in rule.iter()])))

    def condition(self, e):
        a = {k: v for k, v in Element(e).attributes.items() if k != "target-range-address"}
        base = a.pop("base-cell-address", None)
        if "value" in a:
            a["value"] = relative(a["value"], base)
        if "apply-style-name" in a:
            a["apply-style-name"] = self.format(a["apply-style-name"])
        return local(e.tag), sorted(a.items())

    def sparklines(self, sheet, e):
        self.facts["sparklines"][sheet] = sorted(
            str(sorted(Element(x).attributes.items())) for x in e.iter() if local(x.tag) == "sparkline")

    def format(self, style):
        if style not in self.resolved:
            e = self.styles.get(style)
            self.resolved[style] = "" if e is None or style == "Default" else self.look(e)
        return self.resolved[style]

    def look(self, e):
        own = Element(e)
        look = {}
        parent = own.get("parent-style-name")
        look["parent"] = parent
        number = self.numbers.get(own.get("data-style-name"))
        if number is not None and not any(local(x.tag) == "boolean" for x in number.iter()):  # which comes from the value
            look["number"] = [(local(x.tag), x.text, x.attrib) for x in number.iter() if x is not number and local(x.tag) != "map"]
        for part in e:
            if local(part.tag).endswith("-properties"):
                look.update((k, self.fonts.get(v, v) if k.startswith("font-name") else v) for k, v in Element(part).attributes.items())
        look = {k: v for k, v in look.items() if v != "none" or not k.startswith(("border", "diagonal", "rotation-align"))}
        return "" if look == {"parent": "Default"} else str(sorted(look.items(), key=str))


def rows(e):
    for part in e:
        kind = local(part.tag)
        if kind == "table-row":
            yield part
        elif kind in ("table-rows", "table-row-group", "table-header-rows"):
            yield from rows(part)


def number(text):
    """A number as it reads in 14 digits: sums may be made in another order."""
    try:
        return f"{float(text):.14g}"
    except (TypeError, ValueError):
        return text


SHEET = re.compile(r"(?:'(?:[^']|'')*'|[^' :]+)?\.(?=\$?[A-Z])")  # which may have spaces in its name
CELL = re.compile(r"(\$?)([A-Z]{1,3})(\$?)([0-9]+)(?![0-9A-Za-z_(])")


def name_of(row, column):
    letters, column = "", column + 1
    while column:
        column, digit = divmod(column - 1, 26)
        letters = chr(65 + digit) + letters
    return f"{letters}{row + 1}"


AREA = re.compile(r"\[([^\[\]:]*\.)(\$?[A-Z]+)(\$?)([0-9]+):\.(\$?[A-Z]+)(\$?)([0-9]+)\]")


def ordered(m):
    """An area with its rows in order, and a cell as one, however they were typed."""
    rows = sorted(((int(m[4]), m[3]), (int(m[7]), m[6])), key=lambda row: row[0])
    first, last = (f"{column}{fixed}{row}" for column, (row, fixed) in zip((m[2], m[5]), rows))
    return f"[{m[1]}{first}]" if first == last else f"[{m[1]}{first}:.{last}]"


def refless(text):
    """A formula in which deleted references read as Excel writes them, and areas in one way."""
    text = text and AREA.sub(ordered, text)
    return text and re.sub(r"#REF!(:\.?#REF!)?", "#REF!", re.sub(r"\[[^\[\]]*#REF![^\[\]]*\]", "#REF!", re.sub("#ref!", "#REF!", text)))


def place(text):
    m = CELL.search(text or "")
    if not m:
        return 0, 0
    column = 0
    for letter in m[2]:
        column = column * 26 + ord(letter) - 64
    return int(m[4]), column


def relative(text, base):
    """A formula whose relative references count from its base cell, which programs choose differently."""
    text = refless(text)
    if not base or not text:
        return text
    row, column = place(base)

    def from_base(m):
        r, c = place(m[0])
        return (f"${m[2]}" if m[1] else f"C[{c - column}]") + (f"${r}" if m[3] else f"R[{r - row}]")

    return CELL.sub(from_base, text)


def validation(v):
    known = {k: x for k, x in v.attributes.items() if k not in ("name", "base-cell-address", "condition")}
    return str((relative(v.get("condition"), v.get("base-cell-address")), sorted(known.items()),
                [("".join(x.itertext()), sorted(Element(x).attributes.items())) for x in v.e]))


def differences(ours, theirs):
    """Where two workbooks differ, by kind."""
    for kind in sorted(set(ours.facts) | set(theirs.facts), key=lambda kind: (kind == "formats", kind)):
        a, b = ours.facts[kind], theirs.facts[kind]
        for key in sorted(set(a) | set(b), key=str):
            if a.get(key) != b.get(key):
                yield kind, key, a.get(key), b.get(key)
