package placements

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The longest sheet names: SheetsA counts characters, SheetsB UTF-16 units.
const (
	maxSheetNameA = 100
	maxSheetNameB = 31
)

// foldSheet returns the form under which sheet names are compared: Unicode simple folding (decisions.md §6). Two names
// fold alike exactly if strings.EqualFold says so.
func foldSheet(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return strings.Map(foldRune, name)
		}
	}
	return strings.ToUpper(name) // of ASCII letters, which are the usual ones, the capital is the least
}

// foldRune returns the least of all characters that fold alike.
func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

// checkSheet returns what is wrong with a sheet name whichever the host, empty if nothing.
func checkSheet(name string) string {
	switch {
	case name == "":
		return "The sheet name is empty: name a sheet, such as Sheet1!B2."
	case !utf8.ValidString(name):
		return "The sheet name is not valid UTF-8: send the name as the spreadsheet shows it."
	case strings.ContainsFunc(name, unicode.IsControl):
		return sentence("The sheet name %q holds a control character, which no spreadsheet allows: "+
			"send the name as the spreadsheet shows it.", name)
	case utf8.RuneCountInString(name) > maxSheetNameA:
		return sentence("The sheet name %q is longer than %d characters, the most a spreadsheet allows: "+
			"send the name as the spreadsheet shows it.", name, maxSheetNameA)
	}
	return ""
}

// checkSheetOf adds what only one host refuses: SheetsB takes 31 UTF-16 units, none of : \ / ? * [ ], and no apostrophe at either end.
func checkSheetOf(host Host, name string) string {
	if fault := checkSheet(name); fault != "" || host != SheetsB {
		return fault
	}
	switch {
	case len(utf16.Encode([]rune(name))) > maxSheetNameB:
		return sentence("The sheet name %q is longer than %d characters, the most a %s spreadsheet allows: shorten the sheet's name.",
			name, maxSheetNameB, string(host))
	case strings.ContainsAny(name, `:\/?*[]`):
		return sentence(`The sheet name %q holds one of : \ / ? * [ ], which a %s spreadsheet does not allow: rename the sheet.`,
			name, string(host))
	case strings.HasPrefix(name, "'") || strings.HasSuffix(name, "'"):
		return sentence("The sheet name %q begins or ends with an apostrophe, which a %s spreadsheet does not allow: rename the sheet.",
			name, string(host))
	}
	return ""
}

// quoteSheet returns the name as it stands before the ! of an address, in apostrophes only where needed.
func quoteSheet(name string) string {
	if plainSheet(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", "''") + "'"
}

// plainSheet reports whether a name needs no quotes: a word that no host could take for a cell, a number or a constant.
func plainSheet(name string) bool {
	for i, r := range name {
		word := r == '_' || unicode.IsLetter(r)
		if !word && (i == 0 || r != '.' && !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != "" && !looksLikeCell(name) && !strings.EqualFold(name, "TRUE") && !strings.EqualFold(name, "FALSE")
}

// looksLikeCell is true for A1 forms (up to ZZZ, as far as any host goes) and for the R1C1 ones: R, C, R2, C3, RC, R2C3.
func looksLikeCell(name string) bool {
	letters, digits, ok := splitCell(name)
	if ok && digits != "" && len(letters) <= 3 {
		return true
	}
	rest := strings.ToUpper(name)
	rest, row := strings.CutPrefix(rest, "R")
	if row {
		rest = strings.TrimLeft(rest, "0123456789")
	}
	rest, column := strings.CutPrefix(rest, "C")
	if column {
		rest = strings.TrimLeft(rest, "0123456789")
	}
	return rest == "" && (row || column)
}
