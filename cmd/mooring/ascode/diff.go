package ascode

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"mooring/storage/record/portable"

	"github.com/aymanbagabas/go-udiff"
)

// shortText is how many characters of a value are shown in a line.
const shortText = 60

// unified returns the lines of a difference that does not fit in one: a unified diff without its file names. It is empty where one line does.
func unified(d portable.MemberChange) []string {
	before, after := longText(d.Before), longText(d.After)
	if short(before) && short(after) {
		return nil
	}
	text, err := udiff.ToUnified("", "", ended(before), udiff.Lines(ended(before), ended(after)), udiff.DefaultContextLines)
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[min(2, len(lines)):]
}

// ended returns a text with a break at its end, which a diff would remark on otherwise.
func ended(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

func short(s string) bool {
	return !strings.Contains(s, "\n") && utf8.RuneCountInString(s) <= shortText
}

// longText returns a value as a text to be compared line by line.
func longText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	if s := compact(v); short(s) {
		return s
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// shortValue returns a value as it is shown in a line.
func shortValue(v any) string {
	if v == nil {
		return "nothing"
	}
	return Line(compact(v))
}

// inLine returns a difference in one line.
func inLine(d portable.MemberChange) string {
	return shortValue(d.Before) + " → " + shortValue(d.After)
}
