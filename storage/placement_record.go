package storage

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"mooring/placements"
)

// A record is how the placements hash of a report keeps a placement. Its first line is the head (address key, cell score and last row, between
// tabs), its second the claim, and the rest is the placement's JSON, broken into these lines. So a script can take one part of the JSON from
// what is stored and another from what is sent without reading any of it. JSON has no line breaks of its own.
const (
	lineID       = iota // {"id":…,"workbookId":…
	lineName            // ,"workbookName":… or empty, as may be all that some placements lack
	lineHost            // ,"host":…
	lineSheetID         // ,"sheetId":…
	lineAddress         // ,"sheetName":…,"anchorCell":…
	lineEnd             // ,"endResultCell":…
	lineLocation        // ,"resultLocation":…
	lineWrite           // ,"queryChecksum":…,"refreshedAt":…,"refreshedByUserId":…,"resultChecksum":…
	linePlaced          // ,"placedAt":…,"placedByUserId":…
	recordLines
)

// member gives ,"name":value, or nothing for an empty text.
func member(name, value string) string {
	if value == "" {
		return ""
	}
	return `,"` + name + `":` + quoted(value)
}

// quoted is the JSON of a text, as encode gives it.
func quoted(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == '"' || s[i] == '\\' || s[i] >= 0x80 {
			text, _ := encode(s) // a string always encodes
			return text
		}
	}
	return `"` + s + `"`
}

// recordedLines gives the lines of p's JSON, without the brace that closes it.
func recordedLines(p placements.Placement) (lines [recordLines]string, err error) {
	lines = [recordLines]string{
		lineID:       `{"id":` + quoted(p.ID) + `,"workbookId":` + quoted(p.WorkbookID),
		lineName:     member("workbookName", p.WorkbookName),
		lineHost:     member("host", string(p.Host)),
		lineSheetID:  member("sheetId", p.SheetID),
		lineAddress:  `,"sheetName":` + quoted(p.SheetName) + `,"anchorCell":` + quoted(p.AnchorCell),
		lineEnd:      member("endResultCell", p.EndResultCell),
		lineLocation: `,"resultLocation":` + quoted(p.ResultLocation),
		linePlaced:   stampedBy("placedAt", p.PlacedAt, "placedByUserId", p.PlacedByUserID),
	}
	sum, err := checksumMember(p)
	lines[lineWrite] = member("queryChecksum", p.QueryChecksum) + stampedBy("refreshedAt", p.RefreshedAt, "refreshedByUserId", p.RefreshedByUserID) + sum
	return lines, err
}

func stampedBy(at, when, by string, user int64) string {
	s := member(at, when)
	if user != 0 {
		s += `,"` + by + `":` + strconv.FormatInt(user, 10)
	}
	return s
}

func checksumMember(p placements.Placement) (string, error) {
	if p.ResultChecksum == nil {
		return "", nil
	}
	text, err := encode(p.ResultChecksum)
	return `,"resultChecksum":` + text, err
}

// encodeRecord gives the record of a placement that claimed its cells at claim.
func encodeRecord(p placements.Placement, claim int64) (string, error) {
	lines, err := recordedLines(p)
	if err != nil {
		return "", fmt.Errorf("placement %s: %w", p.ID, err)
	}
	return standing(p).head() + "\n" + strconv.FormatInt(claim, 10) + "\n" + strings.Join(lines[:], "\n") + "\n}", nil
}

// splitRecord takes a record apart into its claim and its JSON.
func splitRecord(text string) (claim int64, body string) {
	_, rest, _ := strings.Cut(text, "\n")
	number, body, _ := strings.Cut(rest, "\n")
	claim, _ = strconv.ParseInt(number, 10, 64)
	return claim, body
}

// decodeRecord reads a record.
func decodeRecord(slot, text string) (p placements.Placement, claim int64, err error) {
	claim, body := splitRecord(text)
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		return p, 0, fmt.Errorf("placement %s: %w", slot, err)
	}
	return p, claim, nil
}
