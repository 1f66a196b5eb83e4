package checksum

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// What a client's checksum may hold (decisions.md §6).
const (
	MaxClientChunks = 2000
	MaxHashLength   = 64 // characters
)

// FieldFault is one thing wrong with a client's checksum. Pointer is a JSON pointer relative to the checksum.
type FieldFault struct{ Pointer, Message string }

// FieldFaults is everything wrong with a client's checksum; it is never empty.
type FieldFaults []FieldFault

func (f FieldFaults) Error() string {
	parts := make([]string, len(f))
	for i, fault := range f {
		parts[i] = fault.Pointer + ": " + fault.Message
	}
	return strings.Join(parts, "; ")
}

// Validate checks a checksum that a client sent, of whatever version. Its error is FieldFaults.
func (r ResultChecksum) Validate() error {
	var faults FieldFaults
	fault := func(pointer, message string) { faults = append(faults, FieldFault{pointer, message}) }
	if r.V < 1 {
		fault("/v", "must be at least 1")
	}
	if len(r.Chunks) > MaxClientChunks {
		fault("/chunks", "must have at most "+strconv.Itoa(MaxClientChunks)+" chunks")
		return faults
	}
	end := 0
	for i, chunk := range r.Chunks {
		chunk.validate("/chunks/"+strconv.Itoa(i), end, fault)
		end = max(end, chunk.From, chunk.To)
	}
	if faults == nil {
		return nil
	}
	return faults
}

// validate checks a chunk that follows rows up to end.
func (c Chunk) validate(pointer string, end int, fault func(pointer, message string)) {
	switch {
	case c.From < 0:
		fault(pointer+"/from", "must be at least 0")
	case c.From < end:
		fault(pointer+"/from", "must be at least "+strconv.Itoa(end)+", where the chunks before it end")
	}
	if c.To < c.From {
		fault(pointer+"/to", "must be at least from")
	}
	if n := utf8.RuneCountInString(c.Hash); n < 1 || n > MaxHashLength {
		fault(pointer+"/hash", "must have 1 to "+strconv.Itoa(MaxHashLength)+" characters")
	}
}
