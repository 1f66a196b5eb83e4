package yaml

import (
	"slices"
	"strings"
)

// Update returns text, the text of a file, changed so that it reads as want. Where inPlace is true, comments, order, blank lines and the
// writing of all that did not change are as they were. Where the changes cannot be made so, it is want, written anew.
func Update(text string, want map[string]any, order Order) (updated string, inPlace bool) {
	root, faults := Parse("", text)
	if root == nil || len(faults) > 0 || root.Kind != Mapping || len(root.Pairs) == 0 || len(want) == 0 {
		return Emit(want, order), false
	}
	e := editor{layout: newLayout(text)}
	e.change(root, want, slot{order: order})
	if updated, ok := e.apply(); ok && reads(updated, want) {
		return updated, true
	}
	return Emit(want, order), false
}

// reads reports whether a text reads as a value.
func reads(text string, want map[string]any) bool {
	root, faults := Parse("", text)
	return root != nil && len(faults) == 0 && equal(root.Value(), want)
}

// editor collects the splices that change a text.
type editor struct {
	*layout
	splices []splice
}

// splice replaces the bytes from one offset to another.
type splice struct {
	from, to int
	text     string
}

// slot is where a value stands: after its key's colon or its dash.
type slot struct {
	from   int // the offset after the colon or dash
	indent int // the column of the key or dash
	item   bool
	flow   bool // within brackets
	order  Order
}

func (e *editor) splice(from, to int, text string) {
	e.splices = append(e.splices, splice{from, to, text})
}

// apply returns the text with all splices made; ok is false when they cannot be.
func (e *editor) apply() (text string, ok bool) {
	slices.SortStableFunc(e.splices, func(a, b splice) int { return a.from - b.from })
	newline := "\n"
	if i := strings.IndexByte(e.text, '\n'); i > 0 && e.text[i-1] == '\r' {
		newline = "\r\n"
	}
	var b strings.Builder
	at := 0
	for _, s := range e.splices {
		if s.from < at || s.to < s.from {
			return "", false
		}
		b.WriteString(e.text[at:s.from])
		b.WriteString(strings.ReplaceAll(s.text, "\n", newline))
		at = s.to
	}
	b.WriteString(e.text[at:])
	return b.String(), !e.unsure
}

// change makes a node read as want.
func (e *editor) change(n *Node, want any, at slot) {
	if equal(n.Value(), want) {
		return
	}
	switch want := want.(type) {
	case map[string]any:
		if len(n.Pairs) > 0 && len(want) > 0 {
			e.mapping(n, want, at)
			return
		}
	case []any:
		if len(n.Items) > 0 && len(want) > 0 {
			e.list(n, want, at)
			return
		}
	}
	e.replace(n, want, at)
}

// replace writes want where n stands.
func (e *editor) replace(n *Node, want any, at slot) {
	from, end := at.from, at.from
	collection := (n.Kind == List || n.Kind == Mapping) && !e.inBrackets(n)
	if !n.absent {
		end = e.end(n)
	}
	text := at.write(want)
	if !n.absent && !collection && !strings.HasPrefix(text, "\n") {
		from, text = e.offset(n.Place), strings.TrimPrefix(text, " ")
	}
	if first, rest, lines := strings.Cut(text, "\n"); lines && !collection {
		behind := e.text[end:e.contentEnd(end)]
		if comment := strings.TrimSpace(behind); strings.HasPrefix(comment, "#") && !e.block(n) {
			text, end = first+" "+comment+"\n"+rest, end+len(behind)
		}
	}
	e.splice(from, end, text)
}

// write returns a value as it is written in a slot, with the space or break before it.
func (at slot) write(v any) string {
	switch {
	case at.flow:
		return " " + inline(v)
	case at.item:
		return usual.hanging(v, at.indent, at.order)
	}
	return usual.after(v, at.indent, at.order)
}

// mapping changes the keys of a mapping that differ, removes those that want lacks and adds those that n lacks behind the others.
func (e *editor) mapping(n *Node, want map[string]any, at slot) {
	flow := at.flow || e.inBrackets(n)
	missing := make(map[string]any, len(want))
	for key, v := range want {
		missing[key] = v
	}
	for i, p := range n.Pairs {
		v, kept := want[p.Key.Text]
		delete(missing, p.Key.Text)
		switch {
		case kept:
			e.change(p.Value, v, slot{from: e.colon(p), indent: e.column(e.offset(p.Key.Place)), flow: flow, order: at.order.Under[p.Key.Text]})
		case flow:
			e.again(n, want, at)
			return
		default:
			e.removePair(n, i)
		}
	}
	for _, key := range at.order.sorted(missing) {
		e.addPair(n, key, missing[key], flow, at.order.Under[key])
	}
}

// again writes the whole of a value in brackets anew.
func (e *editor) again(n *Node, want any, at slot) {
	from, end := e.offset(n.Place), e.end(n)
	e.splices = slices.DeleteFunc(e.splices, func(s splice) bool { return from <= s.from && s.to <= end })
	e.splice(from, end, inline(want))
}

func (e *editor) removePair(n *Node, i int) {
	from := e.offset(n.Pairs[i].Key.Place)
	switch {
	case e.indented(from):
		e.splice(e.lineStart(from), e.lineEnd(e.pairEnd(n.Pairs[i])), "")
	case i+1 < len(n.Pairs):
		e.splice(from, e.offset(n.Pairs[i+1].Key.Place), "")
	default:
		e.unsure = true
	}
}

func (e *editor) addPair(n *Node, key string, v any, flow bool, order Order) {
	end := e.pairEnd(n.Pairs[len(n.Pairs)-1])
	if flow {
		e.splice(end, end, ", "+scalar(key)+": "+inline(v))
		return
	}
	indent := e.column(e.offset(n.Pairs[0].Key.Place))
	e.addLines(end, strings.Repeat(" ", indent)+usual.entry(key, v, indent, order))
}

// addLines adds lines behind the one of an offset.
func (e *editor) addLines(behind int, lines string) {
	at := e.lineEnd(behind)
	if at == len(e.text) && !strings.HasSuffix(e.text, "\n") {
		e.splice(at, at, "\n"+lines)
		return
	}
	e.splice(at, at, lines+"\n")
}

// list changes the items that differ. An item that stands elsewhere in want is not changed into another: what is between is added or
// removed.
func (e *editor) list(n *Node, want []any, at slot) {
	flow := at.flow || e.inBrackets(n)
	if flow && len(want) != len(n.Items) {
		e.again(n, want, at)
		return
	}
	old := n.Value().([]any)
	i, j := 0, 0
	for i < len(old) || j < len(want) {
		switch {
		case i == len(old):
			e.addItem(n, i, want[j], at.order)
			j++
		case j == len(want):
			e.removeItem(n.Items[i])
			i++
		case flow || equal(old[i], want[j]):
			e.item(n.Items[i], want[j], flow, at.order)
			i, j = i+1, j+1
		case contains(want[j+1:], old[i]):
			e.addItem(n, i, want[j], at.order)
			j++
		case contains(old[i+1:], want[j]):
			e.removeItem(n.Items[i])
			i++
		default:
			e.item(n.Items[i], want[j], flow, at.order)
			i, j = i+1, j+1
		}
	}
}

func contains(items []any, v any) bool {
	return slices.ContainsFunc(items, func(item any) bool { return equal(item, v) })
}

func (e *editor) item(n *Node, want any, flow bool, order Order) {
	if equal(n.Value(), want) {
		return
	}
	if flow {
		e.change(n, want, slot{from: e.offset(n.Place), flow: true})
		return
	}
	dash := e.dash(n)
	e.change(n, want, slot{from: dash + 1, indent: e.column(dash), item: true, order: order})
}

func (e *editor) removeItem(n *Node) {
	dash := e.dash(n)
	e.unsure = e.unsure || !e.indented(dash)
	e.splice(e.lineStart(dash), e.lineEnd(e.end(n)), "")
}

// addItem adds an item before the i-th of a list.
func (e *editor) addItem(n *Node, i int, v any, order Order) {
	dash := e.dash(n.Items[0])
	indent := e.column(dash)
	line := strings.Repeat(" ", indent) + "-" + usual.hanging(v, indent, order)
	if i == 0 {
		e.unsure = e.unsure || !e.indented(dash)
		e.splice(e.lineStart(dash), e.lineStart(dash), line+"\n")
		return
	}
	e.addLines(e.end(n.Items[i-1]), line)
}
