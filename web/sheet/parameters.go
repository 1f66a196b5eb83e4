package sheet

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/web/bind"
)

// sentParameters is what an add-in says of the cells from which a placement takes the values of parameters.
type sentParameters struct {
	cells    map[string]sentCells
	at       map[string]string
	faults   map[string]string
	date1904 bool
}

// members names the members of a sheet that say it.
func (p *sentParameters) members(o *bind.Object) {
	bind.Values(o, "parameters", &p.cells, placements.MaxParameters, cellKinds)
	text := bind.JSONKinds{Begin: "\"", Words: "a text"}
	bind.Values(o, "parameterCells", &p.at, placements.MaxParameters, text)
	bind.Values(o, "parameterFaults", &p.faults, placements.MaxParameters, text)
	o.Flag("date1904", &p.date1904)
}

// cellKinds are what cells may be, as cellOf reads them.
var cellKinds = bind.JSONKinds{
	Begin: "\"0tfn{[", Words: "a cell or an array of cells", Members: slices.Sorted(maps.Keys(cellForms)),
}

// unread are the causes of faults by what an add-in calls them.
var unread = map[string]error{
	"deleted": host.ErrParameterDeleted, "sheet": host.ErrParameterSheet, "shape": host.ErrParameterShape, "large": host.ErrParameterLarge,
}

// check adds to f what is wrong with it.
func (p *sentParameters) check(f *bind.Faults) {
	for _, name := range slices.Sorted(maps.Keys(p.at)) {
		l, err := placements.ParseLocation(p.at[name])
		if err != nil || l.Sheet == "" {
			f.Join(placements.Detail{Pointer: "/parameterCells/" + name, Code: placements.CodeAddress, Message: "must name a sheet and its cells, such as Setup!B2"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.faults)) {
		if unread[p.faults[name]] == nil {
			f.Join(placements.Detail{Pointer: "/parameterFaults/" + name, Code: placements.CodeInvalid, Message: "must be deleted, sheet, shape or large"})
		}
	}
}

// read is what was said; nil for nothing.
func (p *sentParameters) read() map[string]refresh.SheetParameter {
	var all map[string]refresh.SheetParameter
	put := func(name string, change func(*refresh.SheetParameter)) {
		if all == nil {
			all = map[string]refresh.SheetParameter{}
		}
		one := all[name]
		change(&one)
		all[name] = one
	}
	for name, cells := range p.cells {
		put(name, func(one *refresh.SheetParameter) { one.Cells = cells })
	}
	for name, why := range p.faults {
		put(name, func(one *refresh.SheetParameter) { one.Err = unread[why] })
	}
	for name, text := range p.at {
		if at, err := placements.ParseLocation(text); err == nil && all[name].Cells != nil {
			put(name, func(one *refresh.SheetParameter) { one.At = &at })
		}
	}
	return all
}

// sentCells are cells of a parameter, in JSON a cell or an array of them.
type sentCells []host.TypedCell

// UnmarshalJSON implements json.Unmarshaler.
func (c *sentCells) UnmarshalJSON(text []byte) error {
	list := []json.RawMessage{text}
	if text = bytes.TrimSpace(text); len(text) > 0 && text[0] == '[' {
		if err := json.Unmarshal(text, &list); err != nil {
			return err
		}
	}
	*c = make(sentCells, len(list))
	for i, one := range list {
		cell, err := cellOf(one)
		if err != nil {
			return err
		}
		(*c)[i] = cell
	}
	return nil
}

var errNoCell = errors.New("is no cell")

// cellOf reads one.
func cellOf(text []byte) (c host.TypedCell, err error) {
	var sent any
	if err := json.Unmarshal(text, &sent); err != nil {
		return c, err
	}
	switch v := sent.(type) {
	case nil:
	case string:
		c.Value = checksum.Str(v)
	case float64:
		c.Value = checksum.Num(v)
	case bool:
		c.Value = checksum.Bool(v)
	case map[string]any:
		return objectCell(v)
	default:
		return c, errNoCell
	}
	return c, nil
}

// cellForms read cells that need a word for what they are, by that word; false for what is none.
var cellForms = map[string]func(*host.TypedCell, any) bool{
	"error": func(c *host.TypedCell, v any) (ok bool) {
		c.Value.Kind = checksum.Error
		c.Value.Text, ok = v.(string)
		return ok
	},
	"date": func(c *host.TypedCell, v any) bool {
		serial, ok := v.(float64)
		c.Value, c.Date = checksum.Num(serial), true
		return ok
	},
	"covered":    func(c *host.TypedCell, v any) bool { c.Covered = true; return v == true },
	"uncomputed": func(c *host.TypedCell, v any) bool { c.Unknown = true; return v == true },
}

// objectCell reads one of these.
func objectCell(of map[string]any) (c host.TypedCell, err error) {
	for word, v := range of {
		if form := cellForms[word]; form == nil || len(of) > 1 || !form(&c, v) {
			return c, errNoCell
		}
	}
	if len(of) == 0 {
		return c, errNoCell
	}
	return c, nil
}

// parameterNeed is a cell that an add-in is to read.
type parameterNeed struct {
	Name   string `json:"name"`
	Cell   string `json:"cell"`
	Number int    `json:"number"`
	Named  bool   `json:"named"`
	List   bool   `json:"list"`
}

// parameterNeeds are those that e asks for.
func parameterNeeds(e *refresh.NeedError) (list []parameterNeed) {
	for _, c := range e.Parameters {
		list = append(list, parameterNeed{c.Name, c.Cells.At.String(), c.Number, c.Named != placements.NameNone, c.List})
	}
	return list
}
