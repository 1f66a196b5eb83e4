package storage

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
)

// A record is how the placements hash of a report keeps a placement: a line of facts between tabs, and the placement's JSON as it goes out.
const (
	factClaim = iota
	factPlacedAt
	factRefreshedAt
	factQuery
	factActions // of runAs, see placements.RunAs: between commas
	factKey     // of the address, for nearScript: always the last
	recordFacts
)

// encodeRecord returns the record of p, whose standing is known, under a new revision.
func encodeRecord(p *Placed) string {
	p.Rev = strconv.FormatUint(rand.Uint64(), 36)
	b := strconv.AppendInt(make([]byte, 0, 1024), p.Claim, 10) // room for most of them, on the stack
	for _, fact := range [...]string{p.PlacedAt, p.RefreshedAt, p.QueryChecksum, actionsText(p.RunAs), p.at.key} {
		b = append(append(b, '\t'), fact...)
	}
	b = append(b, '\n')
	facts := len(b)
	record := string(appendPlacementJSON(b, &p.Placement))
	p.text = record[facts:]
	return record
}

// splitRecord takes a record apart into its facts and its JSON.
func splitRecord(slot, record string) (facts []string, body string, err error) {
	line, body, _ := strings.Cut(record, "\n")
	facts = strings.Split(line, "\t")
	if len(facts) == recordFacts-1 { // from before runAs was recorded
		facts = slices.Insert(facts, factActions, "")
	}
	if len(facts) != recordFacts {
		return nil, "", fmt.Errorf("placement %s: not a record", slot)
	}
	return facts, body, nil
}

// actionsText is factActions of a placement that is queried on behalf of as.
func actionsText(as *placements.RunAs) string {
	if as == nil {
		return ""
	}
	return strings.Join(as.Actions, ",")
}

// decodeRecord reads a record.
func decodeRecord(slot, record, run string) (p Placed, err error) {
	facts, body, err := splitRecord(slot, record)
	if err != nil {
		return p, err
	}
	if p.Claim, err = strconv.ParseInt(facts[factClaim], 10, 64); err != nil {
		return p, fmt.Errorf("placement %s: claim: %w", slot, err)
	}
	if err := json.Unmarshal([]byte(body), &p.Placement); err != nil {
		return p, fmt.Errorf("placement %s: %w", slot, err)
	}
	if actions := facts[factActions]; actions != "" && p.RunAs != nil {
		p.RunAs.Actions = strings.Split(actions, ",")
	}
	p.text = body
	p.LastRun, err = decodeLastRun(slot, run)
	return p, err
}

// decodeLastRun reads the last run on a placement; empty text is none.
func decodeLastRun(slot, text string) (run *placements.LastRun, err error) {
	if text == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &run); err != nil {
		return nil, fmt.Errorf("last run of placement %s: %w", slot, err)
	}
	return run, nil
}

// records calls each for every record of a report's placements hash.
func records(hash map[string]string, each func(slot, record, run string) error) error {
	for field, record := range hash {
		slot, found := strings.CutPrefix(field, placementField)
		if !found || record == "" {
			continue
		}
		if err := each(slot, record, hash[lastRunField+slot]); err != nil {
			return err
		}
	}
	return nil
}

// readPlacements makes the placements of a report's hash.
func readPlacements(hash map[string]string) ([]Placed, error) {
	list := make([]Placed, 0, len(hash)/2)
	err := records(hash, func(slot, record, run string) error {
		p, err := decodeRecord(slot, record, run)
		_, p.Rev, _ = strings.Cut(hash[addressField+p.position().key], "\t")
		list = append(list, p)
		return err
	})
	sortPlaced(list)
	return list, err
}

func sortPlaced(list []Placed) {
	slices.SortFunc(list, func(a, b Placed) int {
		return byPlacing(a.PlacedAt, a.position().slot, b.PlacedAt, b.position().slot)
	})
}

// byPlacing orders placements by placedAt, then slot.
func byPlacing(at, slot, otherAt, otherSlot string) int {
	if c := strings.Compare(at, otherAt); c != 0 {
		return c
	}
	return strings.Compare(slot, otherSlot)
}
