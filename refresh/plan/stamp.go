package plan

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mooring/checksum"
)

// A stamp is what a document keeps beside the marker of a block about the last write to it: when it was, and digests of the rows that are
// the source's. A storage that has lost its last seconds knows by it that the sheet is ahead, and which of its rows are Mooring's. It is
//
//	1.<generation>.<columns>.<rows><digest>.<rows><digest>…
//
// numbers in base 36, digests in base 64. Text that is no stamp counts as none: anybody who writes to the document can change it, and it
// proves no more than that rows stand as a write left them.
type stamp struct {
	generation int64 // Unix microseconds of the write, at least; each write to a block has a higher one than those before it
	columns    int
	groups     []rowGroup
}

// rowGroup is rows that follow each other.
type rowGroup struct {
	rows   int
	digest uint64
}

const (
	stampVersion  = "1"
	maxGroups     = 14 // so that a stamp has 255 characters at most
	digestSize    = 11 // characters
	maxGeneration = math.MaxInt64 / 2
)

// newStamp is the stamp of a block of those rows. people are its rows with cells of a person, which are in no group.
func newStamp(generation int64, columns int, rows []uint64, people map[int]bool) stamp {
	for len(rows) > 0 && rows[len(rows)-1] == checksum.EmptyRow {
		rows = rows[:len(rows)-1]
	}
	s := stamp{generation: generation, columns: columns}
	for _, span := range divided(sourceRows(len(rows), people)) {
		s.groups = append(s.groups, rowGroup{rows: span.To - span.From, digest: rollOver(rows[span.From:span.To])})
	}
	return s
}

// sourceRows are the rows between those of people, the header apart; of too many spans the longest, the header always.
func sourceRows(rows int, people map[int]bool) (spans []checksum.Span) {
	open := false
	for row := range rows {
		switch {
		case people[row]:
			open = false
		case open:
			spans[len(spans)-1].To++
		default:
			spans = append(spans, checksum.Span{From: row, To: row + 1})
			open = row > 0
		}
	}
	if len(spans) <= maxGroups {
		return spans
	}
	slices.SortStableFunc(spans[1:], func(a, b checksum.Span) int { return (b.To - b.From) - (a.To - a.From) })
	return spans[:maxGroups]
}

// divided is spans in as many parts as a stamp has groups, the longest divided most: where a person changes one row, only the rows of its
// part are not known for Mooring's any more.
func divided(spans []checksum.Span) (out []checksum.Span) {
	parts := make([]int, len(spans))
	for i := range parts {
		parts[i] = 1
	}
	length := func(i int) int { return (spans[i].To - spans[i].From + parts[i] - 1) / parts[i] }
	for range maxGroups - len(spans) {
		longest := 0
		for i := range spans {
			if length(i) > length(longest) {
				longest = i
			}
		}
		if len(spans) == 0 || length(longest) <= 1 {
			break
		}
		parts[longest]++
	}
	for i, s := range spans {
		for from, n := s.From, length(i); from < s.To; from += n {
			out = append(out, checksum.Span{From: from, To: min(from+n, s.To)})
		}
	}
	return out
}

// rollFactor is that of a polynomial over fingerprints, which are hashes themselves.
const rollFactor = 0x9E3779B97F4A7C15

func rollOver(rows []uint64) (digest uint64) {
	for _, row := range rows {
		digest = digest*rollFactor + row
	}
	return digest
}

// covers reports of each of some rows that stand whether it is in a group, wherever that stands now. A group is found once.
func (s stamp) covers(rows []uint64) []bool {
	covered := make([]bool, len(rows))
	wanted := map[int]map[uint64]int{} // by number of rows
	for _, g := range s.groups {
		if wanted[g.rows] == nil {
			wanted[g.rows] = map[uint64]int{}
		}
		wanted[g.rows][g.digest]++
	}
	for length, digests := range wanted {
		coverGroups(covered, rows, length, digests)
	}
	return covered
}

// coverGroups finds the groups of one length.
func coverGroups(covered []bool, rows []uint64, length int, wanted map[uint64]int) {
	if length < 1 || length > len(rows) {
		return
	}
	first := uint64(1) // the factor of the row that leaves the window
	for range length - 1 {
		first *= rollFactor
	}
	digest := rollOver(rows[:length])
	for from := 0; ; from++ {
		if wanted[digest] > 0 && !slices.Contains(covered[from:from+length], true) {
			wanted[digest]--
			for i := range length {
				covered[from+i] = true
			}
		}
		if from+length == len(rows) {
			return
		}
		digest = (digest-rows[from]*first)*rollFactor + rows[from+length]
	}
}

// String is the form in which a document keeps the stamp.
func (s stamp) String() string {
	number := func(n int64) string { return strconv.FormatInt(n, 36) }
	parts := []string{stampVersion, number(s.generation), number(int64(s.columns))}
	for _, g := range s.groups {
		digest := base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, g.digest))
		parts = append(parts, number(int64(g.rows))+digest)
	}
	return strings.Join(parts, ".")
}

// parseStamp reads a stamp. ok is false for anything else.
func parseStamp(text string) (s stamp, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) < 3 || len(parts) > 3+maxGroups || parts[0] != stampVersion {
		return stamp{}, false
	}
	var err error
	if s.generation, err = strconv.ParseInt(parts[1], 36, 64); err != nil || s.generation <= 0 || s.generation > maxGeneration {
		return stamp{}, false
	}
	columns, err := strconv.ParseInt(parts[2], 36, 32)
	if err != nil || columns < 0 {
		return stamp{}, false
	}
	s.columns = int(columns)
	for _, part := range parts[3:] {
		g, err := parseGroup(part)
		if err != nil {
			return stamp{}, false
		}
		s.groups = append(s.groups, g)
	}
	return s, true
}

func parseGroup(text string) (g rowGroup, err error) {
	at := len(text) - digestSize
	if at < 1 {
		return g, fmt.Errorf("a group of %d characters", len(text))
	}
	rows, err := strconv.ParseInt(text[:at], 36, 32)
	if err != nil || rows < 1 {
		return g, fmt.Errorf("a group of %q rows", text[:at])
	}
	var digest [8]byte
	if n, err := base64.RawURLEncoding.Decode(digest[:], []byte(text[at:])); err != nil || n != len(digest) { // line breaks are skipped
		return g, fmt.Errorf("a digest of %q", text[at:])
	}
	return rowGroup{rows: int(rows), digest: binary.BigEndian.Uint64(digest[:])}, nil
}

// Generation returns that of the write which left a stamp, 0 if the text is no stamp.
func Generation(text string) int64 {
	s, _ := parseStamp(text)
	return s.generation
}
