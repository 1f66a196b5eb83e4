package shift

import (
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
)

// Locked is the error of a sheet whose protection lets no one insert or delete rows.
type Locked struct{ Sheet string }

func (l *Locked) Error() string { return "the sheet " + strconv.Quote(l.Sheet) + " is protected" }

// visit rewrites an element and those in it.
func (e *element) visit(n *node) error {
	if err := e.rewriteNode(n); err != nil {
		return err
	}
	for _, kid := range n.kids {
		if n.gone || n.with != nil {
			return nil
		}
		if err := e.visit(kid); err != nil {
			return err
		}
	}
	n.settle()
	return nil
}

func (e *element) rewriteNode(n *node) error {
	switch n.local {
	case "dimension":
		e.dimension(n)
	case "mergeCell":
		return e.merge(n)
	case "autoFilter":
		return e.filter(n)
	case "sortState", "sortCondition":
		e.one(n, "ref")
	case "webPublishItem":
		e.one(n, "sourceRef")
	case "scenarios":
		text, _ := n.attr("sqref")
		if before, ok := areasOf(text); ok {
			if after := merged(e.moves.parts(before, true)); len(after) > 0 && !slices.Equal(before, after) {
				n.setAttr("sqref", names(after))
			}
		}
	case "hyperlink":
		if e.one(n, "ref"); external(n.attrs) {
			return nil // to a place in another file
		}
		return e.rewriteAttr(n, "location", e.moves.nowhere())
	case "cellWatch", "cellSmartTags", "inputCells":
		e.cellAttr(n)
	case "dataRef":
		e.dataRef(n)
	case "sheetProtection":
		return e.protection(n)
	case "sparklineGroup":
		if axis := n.kid("f"); axis != nil {
			return e.rewriteText(axis, e.moves.nowhere())
		}
	case "webExtension": // which an add-in has bound to cells
		if cells := n.kid("f"); cells != nil {
			return e.rewriteText(cells, e.moves.nowhere())
		}
	case "anchor":
		e.anchor(n)
	case "controlPr":
		if err := e.rewriteAttr(n, "linkedCell", e.moves.nowhere()); err != nil {
			return err
		}
		return e.rewriteAttr(n, "listFillRange", e.moves.nowhere())
	case "conditionalFormatting", "dataValidation", "sparkline", "protectedRange", "ignoredError", "scenario":
		return e.ruled(n)
	}
	return nil
}

// dimension sets the area that cells stand in.
func (e *element) dimension(n *node) {
	ref, _ := n.attr("ref")
	old, ok := cursor.ParseArea(ref)
	if !ok {
		return
	}
	parts := e.moves.split(old, false)
	if len(parts) == 0 {
		return
	}
	all := parts[0]
	for _, p := range parts[1:] {
		all.Top, all.Bottom, all.Right = min(all.Top, p.Top), max(all.Bottom, p.Bottom), p.Right
	}
	if all != old {
		n.setAttr("ref", rangeName(all))
	}
}

// merge moves merged cells.
func (e *element) merge(n *node) error {
	ref, _ := n.attr("ref")
	old, ok := cursor.ParseArea(ref)
	if !ok {
		return nil
	}
	moved := e.moves.split(old, false)
	switch {
	case len(moved) > 1 || len(moved) == 1 && (moved[0].Left != old.Left || moved[0].Right != old.Right):
		return &Torn{What: "the merged cells", Sheet: e.moves.sheet, Area: old}
	case len(moved) == 0, moved[0].Top == moved[0].Bottom && moved[0].Left == moved[0].Right && moved[0] != old:
		n.gone = true
	case moved[0] != old:
		n.setAttr("ref", rangeName(moved[0]))
	}
	return nil
}

// filter moves a filter, which has one area.
func (e *element) filter(n *node) error {
	ref, _ := n.attr("ref")
	old, ok := cursor.ParseArea(ref)
	if !ok {
		return nil
	}
	moved := e.moves.split(old, true)
	if len(moved) != 1 || moved[0].Left != old.Left || moved[0].Right != old.Right {
		return &Torn{What: "the filter", Sheet: e.moves.sheet, Area: old}
	}
	if moved[0] != old {
		n.setAttr("ref", rangeName(moved[0]))
	}
	return nil
}

// one moves an area that cannot be made several; where its columns part it stays. An element whose area is deleted goes.
func (e *element) one(n *node, name string) {
	ref, _ := n.attr(name)
	old, ok := cursor.ParseArea(ref)
	if !ok {
		return
	}
	moved := e.moves.split(old, false)
	switch {
	case len(moved) == 0:
		n.gone = true
	case len(moved) == 1 && moved[0] != old:
		n.setAttr(name, rangeName(moved[0]))
	}
}

// cellAttr moves a single cell.
func (e *element) cellAttr(n *node) {
	ref, _ := n.attr("r")
	at, ok := cursor.ParseArea(ref)
	if !ok {
		return
	}
	row, ok := e.moves.all.by().Cell(e.moves.sheet, at.Top, at.Left)
	switch {
	case !ok && n.local == "inputCells":
		n.setAttr("deleted", "1")
	case !ok:
		n.gone = true
	case row != at.Top:
		n.setAttr("r", placements.Anchor{Row: row, Column: at.Left}.String())
	}
}

// dataRef moves a source of a consolidation, which may lie on another sheet.
func (e *element) dataRef(n *node) {
	ref, _ := n.attr("ref")
	sheet, ok := n.attr("sheet")
	area, known := cursor.ParseArea(ref)
	if !ok || !known || external(n.attrs) {
		return
	}
	if moved, ok := e.moves.all.by().Range(area, sheet, e.moves.nowhere()); ok && moved != area {
		n.setAttr("ref", rangeName(moved))
	}
}

// protection refuses shifts that the sheet's protection does not allow.
func (e *element) protection(n *node) error {
	if on, _ := n.attr("sheet"); on != "1" && on != "true" && on != "on" {
		return nil
	}
	for _, s := range e.moves.all.By {
		if !strings.EqualFold(s.Sheet, e.moves.sheet) {
			continue
		}
		name := "insertRows"
		if s.Rows < 0 {
			name = "deleteRows"
		}
		if locked, _ := n.attr(name); locked != "0" && locked != "false" && locked != "off" {
			return &Locked{e.moves.sheet}
		}
	}
	return nil
}
