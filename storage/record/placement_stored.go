package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// A placement is stored as a line of facts between tabs, and its JSON as it goes out.
const (
	factClaim = iota
	factPlacedAt
	factRefreshedAt
	factQuery
	factActions // of runAs, see placements.RunAs: between commas
	factOwn     // rows and columns, where the placement has Own
	factPlacer
	factBase   // its JSON, where the placement has Base
	factLinked // its JSON; left out where the placement has none
	factValues // the JSON of its ValueKeys; left out where it has none
	factKey    // of the address, for lua/candidates.lua: always the last
	storedFacts
)

// EncodePlacement returns the stored form of p, whose address has that key, and its JSON, with which that ends. claim is when someone last
// connected or rewrote it, in microseconds since 1970.
func EncodePlacement(p *placements.Placement, claim int64, key string) (text, body string) {
	b := strconv.AppendInt(make([]byte, 0, 1024), claim, 10) // room for most of them, on the stack
	for _, fact := range [...]string{p.PlacedAt, p.RefreshedAt, p.QueryChecksum, actionsText(p.RunAs), ownText(p.Own), string(p.Placer)} {
		b = append(append(b, '\t'), fact...)
	}
	b = append(b, '\t')
	if p.Base != nil {
		base, _ := Encode(p.Base) // texts and numbers always encode
		b = append(b, base...)
	}
	values := valuesText(p)
	switch linked := ""; {
	case !p.Linked.IsZero():
		linked, _ = Encode(p.Linked)
		fallthrough
	case values != "":
		b = append(append(b, '\t'), linked...)
	}
	if values != "" {
		b = append(append(b, '\t'), values...)
	}
	b = append(append(append(b, '\t'), key...), '\n')
	facts := len(b)
	text = string(AppendPlacement(b, p))
	return text, text[facts:]
}

// actionsText is factActions of a placement that is queried on behalf of as.
func actionsText(as *placements.RunAs) string {
	if as == nil {
		return ""
	}
	return strings.Join(as.Actions, ",")
}

// valuesText is factValues.
func valuesText(p *placements.Placement) string {
	if len(p.Used)+len(p.Parameters)+len(p.Marks) == 0 {
		return ""
	}
	text, _ := Encode(p.ValueKeys()) // texts always encode
	return text
}

func ownText(own *checksum.Extent) string {
	if own == nil {
		return ""
	}
	return fmt.Sprintf("%d:%d", own.Rows, own.Columns)
}

// DecodePlacement reads the stored form of the placement at slot. Nothing of p is part of text, which may be large.
func DecodePlacement(slot, text string) (p placements.Placement, claim int64, body string, err error) {
	facts, body, err := splitPlacement(slot, text)
	if err != nil {
		return p, 0, "", err
	}
	if claim, err = strconv.ParseInt(facts[factClaim], 10, 64); err != nil {
		return p, 0, "", fmt.Errorf("placement %s: claim: %w", slot, err)
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		return p, 0, "", fmt.Errorf("placement %s: %w", slot, err)
	}
	if actions := facts[factActions]; actions != "" && p.RunAs != nil {
		p.RunAs.Actions = strings.Split(strings.Clone(actions), ",")
	}
	if p.Facts, err = readFacts(facts); err != nil {
		return p, 0, "", fmt.Errorf("placement %s: %w", slot, err)
	}
	return p, claim, body, nil
}

// readFacts reads what is never shown of a placement.
func readFacts(facts []string) (f placements.Facts, err error) {
	f.Placer = placements.Placer(strings.Clone(facts[factPlacer]))
	if own := facts[factOwn]; own != "" {
		f.Own = new(checksum.Extent)
		if _, err := fmt.Sscanf(own, "%d:%d", &f.Own.Rows, &f.Own.Columns); err != nil {
			return f, fmt.Errorf("own extent: %w", err)
		}
	}
	if base := facts[factBase]; base != "" {
		if err := json.Unmarshal([]byte(base), &f.Base); err != nil {
			return f, fmt.Errorf("base: %w", err)
		}
	}
	if linked := facts[factLinked]; linked != "" {
		if err := json.Unmarshal([]byte(linked), &f.Linked); err != nil {
			return f, fmt.Errorf("linked: %w", err)
		}
	}
	keys, err := valuesOf(facts)
	f.Used, f.Marks = keys.Used, keys.Marks
	return f, err
}

// valuesOf are the values that the last write used, and the marks of the cells that some come from.
func valuesOf(facts []string) (keys placements.ValueKeys, err error) {
	if text := facts[factValues]; text != "" {
		if err = json.Unmarshal([]byte(text), &keys); err != nil {
			err = fmt.Errorf("values: %w", err)
		}
	}
	return keys, err
}

// splitPlacement separates the facts of a stored form from its JSON.
func splitPlacement(slot, text string) (facts []string, body string, err error) {
	line, body, _ := strings.Cut(text, "\n")
	facts = strings.Split(line, "\t")
	for _, later := range [...]struct{ before, at, n int }{
		{5, factActions, 1}, // from before runAs was recorded
		{6, factOwn, 1},     // or Own: it was left out where there was none
		{7, factPlacer, 2},
		{9, factLinked, 1},
		{10, factValues, 1},
	} {
		if len(facts) == later.before {
			facts = slices.Insert(facts, later.at, make([]string, later.n)...)
		}
	}
	if len(facts) != storedFacts {
		return nil, "", fmt.Errorf("placement %s: not a record", slot)
	}
	return facts, body, nil
}

// ViewPlacement returns what an answer shows of the stored form of a placement, and of the last run on it; empty text is none.
func ViewPlacement(slot, text, run string) (p PlacementView, err error) {
	facts, body, err := splitPlacement(slot, text)
	if err != nil {
		return p, err
	}
	p = PlacementView{
		Slot: slot, JSON: body, PlacedAt: facts[factPlacedAt], RefreshedAt: facts[factRefreshedAt], QueryChecksum: facts[factQuery],
		Values: facts[factValues],
	}
	p.LastRun, err = DecodeLastRun(slot, run)
	return p, err
}

// DecodeLastRun reads the last run on a placement; empty text is none.
func DecodeLastRun(slot, text string) (run *placements.LastRun, err error) {
	if text == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &run); err != nil {
		return nil, fmt.Errorf("last run of placement %s: %w", slot, err)
	}
	return run, nil
}
