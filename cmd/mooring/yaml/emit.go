package yaml

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Order sorts the keys of mappings that are written. Those of a key that it knows come first, in its order.
type Order struct {
	Keys  []string
	Under map[string]Order // of the mappings below a key, also of those in a list there
}

// sorted returns the keys of m in the order that they are written in.
func (o Order) sorted(m map[string]any) []string {
	keys := slices.DeleteFunc(slices.Clone(o.Keys), func(key string) bool { _, has := m[key]; return !has })
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(o.Keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Emit writes a mapping as a file, which [Parse] reads unless it is longer than [MaxBytes] or deeper than 100 levels.
func Emit(m map[string]any, order Order) string {
	text := usual.file(m, order)
	if _, err := tokens(text); err != nil {
		return crowded.file(m, order)
	}
	return text
}

// writer writes values.
type writer struct {
	keys int // of a mapping that has a line for each of them, at most: others stand in braces
}

var (
	usual   = writer{maxKeys}
	crowded = writer{100} // side by side in so many mappings as a file may have, these are read in time
)

func (w writer) file(m map[string]any, order Order) string {
	if len(m) > w.keys {
		return inline(m) + "\n"
	}
	var b strings.Builder
	for _, key := range order.sorted(m) {
		b.WriteString(w.entry(key, m[key], 0, order.Under[key]))
		b.WriteByte('\n')
	}
	return b.String()
}

// entry writes a key and its value as lines of which the first is not indented and the last not ended.
func (w writer) entry(key string, v any, indent int, order Order) string {
	return scalar(key) + ":" + w.after(v, indent, order)
}

// after writes what stands behind a key of a mapping at that indent, or behind the dash of a list there, with the space or break before it.
func (w writer) after(v any, indent int, order Order) string {
	deeper := indent + 2
	pad := "\n" + strings.Repeat(" ", deeper)
	var b strings.Builder
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 || len(v) > w.keys {
			return " " + inline(v)
		}
		for _, key := range order.sorted(v) {
			b.WriteString(pad + w.entry(key, v[key], deeper, order.Under[key]))
		}
	case []any:
		if plainList(v) {
			return " " + inline(v)
		}
		for _, item := range v {
			b.WriteString(pad + "-" + w.hanging(item, deeper, order))
		}
	case string:
		if blockText(v) {
			return " " + literal(v, strings.Repeat(" ", deeper))
		}
		return " " + scalar(v)
	default:
		return " " + inline(v)
	}
	return b.String()
}

// hanging writes an item of a list behind its dash, which stands at that indent.
func (w writer) hanging(v any, indent int, order Order) string {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		return w.after(v, indent, order)
	}
	return " " + strings.TrimLeft(w.after(m, indent, order), "\n ")
}

// plainList reports whether a list has scalars only, none of them long, and is written in one line.
func plainList(items []any) bool {
	length := 0
	for _, item := range items {
		switch item := item.(type) {
		case map[string]any, []any:
			return false
		case string:
			if strings.Contains(item, "\n") {
				return false
			}
			length += len(item)
		}
	}
	return length <= 100
}

// inline writes a value in one line, as inside brackets.
func inline(v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, scalar(key)+": "+inline(v[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, item := range v {
			parts = append(parts, inline(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return scalar(v)
	}
	return jsonText(v)
}

// jsonText writes a scalar as JSON does.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(text)
}

// bare is text that needs no quotes anywhere.
var bare = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$`)

// reserved are words that some reader of YAML takes for something else than text.
var reserved = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n|nan|inf|infinity)$`)

// scalar writes a text in one line, quoted where it is not bare.
func scalar(s string) string {
	if bare.MatchString(s) && !reserved.MatchString(s) && !strings.Contains(s, " -") {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsPrint(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// blockText reports whether a text of several lines can be written as a block, as it is.
func blockText(s string) bool {
	if !strings.Contains(s, "\n") || strings.ContainsAny(s[:1], " \t\n") || strings.HasSuffix(s, "\n\n") ||
		strings.Contains(s, strings.Repeat("\n", maxBlank)) {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.TrimRight(line, " \t") != line {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) })
}

// literal writes a text as a block whose lines are indented by pad.
func literal(s, pad string) string {
	header := "|"
	if !strings.HasSuffix(s, "\n") {
		header = "|-"
	}
	var b strings.Builder
	b.WriteString(header)
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		b.WriteByte('\n')
		if line != "" {
			b.WriteString(pad + line)
		}
	}
	return b.String()
}

// equal reports whether two values are the same; numbers by what JSON writes.
func equal(a, b any) bool {
	return jsonText(a) == jsonText(b)
}
