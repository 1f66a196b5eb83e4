package shift

import (
	"slices"

	"mooring/placements"
	"mooring/refresh/host/formula"
)

// rule is a conditional format or a validation, or what else is for areas of a sheet. Its formulas are written for the first cell of the
// rectangle around its areas.
type rule struct {
	*node
	formulas []site
	counts   bool      // from the cell that they are written for
	unclear  bool      // programs differ in which cell that is
	versions []version // what it becomes
}

// site is where a formula of a rule stands: in an element, or in an attribute of it, which knows no relative references.
type site struct {
	*node
	attr, text string
}

// version is a rule for some of its parts.
type version struct {
	parts []part
	texts []string // of its formulas, for the first cell of the rectangle around the parts
}

// ruled moves the areas that rules are for, and rewrites their formulas. Rules of which only some columns move, so that one formula is
// not right for all of them any more, become several.
func (e *element) ruled(n *node) error {
	text, attr := n.attr("sqref")
	list := n.kid("sqref")
	if !attr && list != nil {
		text = e.content(list)
	}
	before, ok := areasOf(text)
	if !ok {
		return e.rewriteInPlace(n)
	}
	parts := e.moves.parts(before, n.local != "sparkline") // which stands in one cell
	if len(parts) == 0 {
		n.gone = true
		return nil
	}
	rules := e.rulesIn(n)
	for i := range rules {
		rules[i].unclear = !begins(before)
		if err := e.part(&rules[i], base(before), parts); err != nil {
			return err
		}
	}
	if together := apart(rules); len(together) > 1 {
		return e.several(n, rules, together)
	}
	if after := merged(parts); !slices.Equal(before, after) {
		n.setAreas(after)
	}
	for _, r := range rules {
		r.write(r.versions[0].texts)
	}
	return nil
}

// rulesIn returns the rules that an element has: all conditional formats of some areas, or one that it is itself.
func (e *element) rulesIn(n *node) (list []rule) {
	if n.local != "conditionalFormatting" {
		return []rule{{node: n, formulas: e.sites(n, nil)}}
	}
	for _, kid := range n.kids {
		if kid.local == "cfRule" {
			list = append(list, rule{node: kid, formulas: e.sites(kid, nil)})
		}
	}
	return list
}

// sites appends the formulas in an element.
func (e *element) sites(n *node, list []site) []site {
	for _, kid := range n.kids {
		switch kid.local {
		case "formula", "formula1", "formula2", "f":
			if len(kid.kids) == 0 {
				list = append(list, site{node: kid, text: e.content(kid)})
			}
		case "cfvo":
			if text, _ := kid.attr("val"); text != "" {
				list = append(list, site{kid, "val", text})
			}
		}
		list = e.sites(kid, list)
	}
	return list
}

// rewriteInPlace rewrites the formulas of an element that is for no areas which are known.
func (e *element) rewriteInPlace(n *node) error {
	r := rule{node: n, formulas: e.sites(n, nil)}
	texts := make([]string, len(r.formulas))
	for i, s := range r.formulas {
		var err error
		if texts[i], err = e.moves.rewrite(s.text, e.moves.nowhere()); err != nil {
			return err
		}
	}
	r.write(texts)
	return nil
}

// write puts formulas in the place of a rule's own.
func (r *rule) write(texts []string) {
	for i, s := range r.formulas {
		switch {
		case texts[i] == s.text:
		case s.attr != "":
			s.setAttr(s.attr, texts[i])
		default:
			s.node.text, s.changed = texts[i], true
		}
	}
}

// part finds the versions of a rule whose formulas are written for the cell from. Parts whose formulas say the same of their cells stay
// together.
func (e *element) part(r *rule, from placements.Anchor, parts []part) error {
	r.counts = slices.ContainsFunc(r.formulas, func(s site) bool {
		return s.attr == "" && formula.Pattern(s.text, 0, 0) != formula.Pattern(s.text, 1, 1)
	})
	alike, keys := map[string][]version{}, []string(nil)
	for _, p := range parts {
		texts, ok, err := e.textsFor(r, from, p)
		if err != nil {
			return err
		}
		if !ok {
			return e.undivided(r, from, parts)
		}
		key := r.relative(texts, cornerOf(p.is))
		if alike[key] == nil {
			keys = append(keys, key)
		}
		alike[key] = append(alike[key], version{[]part{p}, texts})
	}
	for _, key := range keys {
		r.versions = append(r.versions, r.together(alike[key])...)
	}
	return nil
}

// together returns versions whose formulas say the same of their cells as one, or as few as can be.
func (r *rule) together(list []version) []version {
	var all []part
	for _, v := range list {
		all = append(all, v.parts...)
	}
	if one, ok := r.joined(list[0], all[1:]...); ok {
		return []version{one}
	}
	var few []version
next:
	for _, v := range list {
		for i := range few {
			if one, ok := r.joined(few[i], v.parts...); ok {
				few[i] = one
				continue next
			}
		}
		few = append(few, v)
	}
	return few
}

// textsFor returns a rule's formulas as they are to be written for the first cell of a part. ok is false where one cannot be written for
// that cell.
func (e *element) textsFor(r *rule, from placements.Anchor, p part) (texts []string, ok bool, err error) {
	to := e.moves.originOf(p)
	at := formula.Place{Sheet: e.moves.sheet, Row: to.Row, Column: to.Column}
	for _, s := range r.formulas {
		rows, columns, back := to.Row-from.Row, to.Column-from.Column, -to.rows
		if s.attr != "" {
			rows, columns, back = 0, 0, 0
		}
		text, ok := filled(s.text, rows, columns)
		if !ok {
			return nil, false, nil
		}
		if text, err = e.moves.rewrite(text, at); err != nil {
			return nil, false, err
		}
		if text, ok = filled(text, back, 0); !ok {
			return nil, false, nil
		}
		texts = append(texts, text)
	}
	return texts, true, nil
}

// filled returns a formula as it reads so many rows and columns away.
func filled(text string, rows, columns int) (string, bool) {
	if rows == 0 && columns == 0 {
		return text, true
	}
	return formula.Move(formula.Cut(text), rows, columns)
}

// relative returns what formulas that are written for a cell say of it.
func (r *rule) relative(texts []string, at placements.Anchor) string {
	var key []byte
	for i, text := range texts {
		if r.formulas[i].attr == "" {
			text = formula.Pattern(text, at.Row, at.Column)
		}
		key = append(append(key, text...), 0)
	}
	return string(key)
}

// joined returns a version that is for more parts, which have the same formulas. ok is false where they cannot be written for all of them, so
// that all programs read them alike.
func (r *rule) joined(v version, more ...part) (_ version, ok bool) {
	if len(more) == 0 {
		return v, true
	}
	with := append(slices.Clone(v.parts), more...)
	from, areas := base(merged(v.parts)), merged(with)
	to := base(areas)
	if r.counts && !r.unclear && !begins(areas) {
		return v, false
	}
	texts := slices.Clone(v.texts)
	for i, s := range r.formulas {
		if s.attr != "" {
			continue
		}
		if texts[i], ok = filled(texts[i], to.Row-from.Row, to.Column-from.Column); !ok {
			return v, false
		}
	}
	return version{with, texts}, true
}

// undivided leaves a rule one for all parts: a formula of it reaches over an end of the sheet.
func (e *element) undivided(r *rule, from placements.Anchor, parts []part) error {
	v := version{parts: parts}
	for _, s := range r.formulas {
		text, err := e.moves.rewrite(s.text, formula.Place{Sheet: e.moves.sheet, Row: from.Row, Column: from.Column})
		if err != nil {
			return err
		}
		v.texts = append(v.texts, text)
	}
	r.versions = []version{v}
	return nil
}
