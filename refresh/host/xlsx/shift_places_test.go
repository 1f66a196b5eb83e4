package xlsx

import (
	"cmp"
	"encoding/xml"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"

	"mooring/placements"
)

// corpusPlace is an area of a sheet that something refers to or stands on.
type corpusPlace struct {
	sheet string
	area  placements.Rect
	what  string // the element that names it
	used  int    // the last column of the sheet that has a cell

	styled []int // rows of the sheet that have a format of their own
	hidden bool  // whether it has hidden rows
}

// corpusSheet is a worksheet of a file, read without the host's code.
type corpusSheet struct {
	name, part string
	used       placements.Rect
	styled     []int // rows that have a format of their own
	hidden     bool  // whether there are hidden rows
	places     []corpusPlace
}

// places are areas to try a shift at, one of each kind of each sheet first.
func (b *corpusBook) places() (chosen []corpusPlace) {
	sheets := b.sheets()
	byName := map[string]*corpusSheet{}
	for _, s := range sheets {
		byName[strings.ToLower(s.name)] = s
		b.scan(s.part, s)
	}
	for _, s := range sheets {
		b.follow(s.part, s, map[string]bool{})
		for i := range s.places {
			if other := byName[strings.ToLower(s.places[i].sheet)]; other != nil && other != s {
				other.places = append(other.places, s.places[i])
			}
		}
	}
	b.scan(b.workbook(), &corpusSheet{}, byName)
	for round := range 3 {
		for _, s := range sheets {
			chosen = append(chosen, s.round(round)...)
		}
	}
	return chosen
}

// round are, of each kind of place on a sheet, the one of that number, and in the first round the sheet's cells themselves.
func (s *corpusSheet) round(number int) (chosen []corpusPlace) {
	kinds := map[string]int{}
	for _, p := range s.places {
		if !strings.EqualFold(p.sheet, s.name) || p.area.Top > s.used.Bottom+20 || p.area.Left > s.used.Right+20 {
			continue
		}
		p.area.Bottom, p.area.Right = min(p.area.Bottom, max(s.used.Bottom, p.area.Top)), min(p.area.Right, max(s.used.Right, p.area.Left))
		p.used, p.styled, p.hidden = s.used.Right, s.styled, s.hidden
		if kinds[p.what]++; kinds[p.what] == number+1 {
			chosen = append(chosen, p)
		}
	}
	if number == 0 && s.used.Bottom > 0 {
		chosen = append(chosen, corpusPlace{s.name, s.used, "cells", s.used.Right, s.styled, s.hidden})
	}
	return chosen
}

func (b *corpusBook) workbook() string {
	for _, r := range b.relations("") {
		if strings.HasSuffix(r.Type, "/officeDocument") {
			return r.Target
		}
	}
	return ""
}

// sheets are the worksheets, in their order.
func (b *corpusBook) sheets() (sheets []*corpusSheet) {
	part := b.workbook()
	byID := map[string]corpusRelation{}
	for _, r := range b.relations(part) {
		byID[r.ID] = r
	}
	b.elements(part, func(e xml.StartElement, _ func() string) {
		if e.Name.Local != "sheet" {
			return
		}
		var id, name string
		for _, a := range e.Attr {
			switch {
			case a.Name.Local == "id" && a.Name.Space != "":
				id = a.Value
			case a.Name.Local == "name":
				name = a.Value
			}
		}
		if r := byID[id]; strings.HasSuffix(r.Type, "/worksheet") && b.parts[r.Target] != nil {
			sheets = append(sheets, &corpusSheet{name: name, part: r.Target, used: placements.Rect{Right: -1, Bottom: -1}})
		}
	})
	return sheets
}

type corpusRelation struct{ ID, Type, Target string }

func (b *corpusBook) relations(part string) (list []corpusRelation) {
	dir, base := path.Split(part)
	b.elements(dir+"_rels/"+base+".rels", func(e xml.StartElement, _ func() string) {
		r := corpusRelation{attribute(e, "Id"), attribute(e, "Type"), attribute(e, "Target")}
		if e.Name.Local != "Relationship" || attribute(e, "TargetMode") == "External" {
			return
		}
		if strings.HasPrefix(r.Target, "/") {
			r.Target = r.Target[1:]
		} else {
			r.Target = path.Join(dir, r.Target)
		}
		list = append(list, r)
	})
	return list
}

// follow looks for places in the parts that hang on one.
func (b *corpusBook) follow(part string, s *corpusSheet, seen map[string]bool) {
	for _, r := range b.relations(part) {
		if !seen[r.Target] && !strings.HasSuffix(r.Type, "/worksheet") {
			seen[r.Target] = true
			b.scan(r.Target, s)
			b.follow(r.Target, s, seen)
		}
	}
}

var corpusReference = regexp.MustCompile(`(?:('(?:[^']|'')+'|[\pL\pN_.]+)!)?\$?([A-Z]{1,3})\$?([0-9]+)(?::\$?([A-Z]{1,3})\$?([0-9]+))?`)

// scan notes the places that a part names: areas in attributes, and references in formulas of one or several cells.
func (b *corpusBook) scan(part string, s *corpusSheet, all ...map[string]*corpusSheet) {
	texts, from, column := 0, false, 0
	b.elements(part, func(e xml.StartElement, text func() string) {
		what := e.Name.Local
		if what == "f" && part != s.part {
			what = "chart"
		}
		note := func(found string) {
			if m := corpusReference.FindString(found); m != "" && texts < 2000 {
				texts++
				s.note(what, m, all...)
			}
		}
		switch e.Name.Local {
		case "c":
			s.cell(attribute(e, "r"))
		case "f", "formula", "formula1", "definedName", "sqref":
			if ref := attribute(e, "ref"); ref != "" {
				s.note(what+" "+attribute(e, "t"), ref)
			}
			note(text())
		case "from":
			from = true
		case "col":
			if from {
				column, _ = strconv.Atoi(text())
			}
		case "row":
			s.hidden = s.hidden || attribute(e, "hidden") != ""
			if row, err := strconv.Atoi(attribute(e, "r")); err == nil && attribute(e, "s") != "" {
				s.styled = append(s.styled, row-1)
			}
			if !from {
				break
			}
			from = false
			if row, err := strconv.Atoi(text()); err == nil {
				s.note("anchor", placements.Anchor{Row: row, Column: column}.String(), all...)
			}
		case "dimension", "selection", "pane":
		default:
			for _, name := range []string{"ref", "sqref"} {
				note(attribute(e, name))
			}
		}
	})
}

func (s *corpusSheet) cell(reference string) {
	if area, ok := corpusArea(reference); ok {
		s.used.Bottom, s.used.Right = max(s.used.Bottom, area.Bottom), max(s.used.Right, area.Right)
	}
}

// note adds the place that a reference names, to the sheet that it names if that is known.
func (s *corpusSheet) note(what, reference string, all ...map[string]*corpusSheet) {
	m := corpusReference.FindStringSubmatch(reference)
	if m == nil {
		return
	}
	sheet := s.name
	if m[1] != "" {
		sheet = strings.ReplaceAll(strings.Trim(m[1], "'"), "''", "'")
	}
	cells := m[2] + m[3]
	if m[4] != "" {
		cells += ":" + m[4] + m[5]
	}
	area, ok := corpusArea(cells)
	if !ok {
		return
	}
	if len(all) > 0 {
		if s = all[0][strings.ToLower(sheet)]; s == nil {
			return
		}
	}
	s.places = append(s.places, corpusPlace{sheet: sheet, area: area, what: what})
}

// corpusArea parses A1 or A1:B2.
func corpusArea(text string) (placements.Rect, bool) {
	first, last, _ := strings.Cut(text, ":")
	from, err := placements.ParseAnchor(first)
	to, err2 := placements.ParseAnchor(cmp.Or(last, first))
	area := placements.Rect{Top: from.Row, Left: from.Column, Bottom: to.Row, Right: to.Column}
	return area, err == nil && err2 == nil && area.Bottom >= area.Top && area.Right >= area.Left
}

// elements calls do for the elements of a part; what it passes returns the text that the element begins with.
func (b *corpusBook) elements(part string, do func(e xml.StartElement, text func() string)) {
	d := newCorpusDecoder(b.parts[part])
	for {
		token, err := d.Token()
		if err != nil {
			return
		}
		if e, ok := token.(xml.StartElement); ok {
			do(e, func() string {
				var text strings.Builder
				for {
					token, err := d.Token()
					data, is := token.(xml.CharData)
					if err != nil && err != io.EOF || !is {
						return text.String()
					}
					text.Write(data)
				}
			})
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
