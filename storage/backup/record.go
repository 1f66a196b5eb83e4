package backup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// ErrRefused: a file is not what it should be, whole and unchanged. Nothing of it may be used.
var ErrRefused = errors.New("the backup cannot be used")

// Kind is the type of a key, and so what the items of its pieces are.
type Kind byte

// The kinds.
const (
	String Kind = 's' // bytes, to append to those before
	Hash   Kind = 'h' // field, value; and so on
	Set    Kind = 'u' // members
	Sorted Kind = 'z' // member, score as a text; and so on
	List   Kind = 'l' // elements
	Stream Kind = 'x' // id, number of texts that follow, fields and values; and so on
)

// Piece is a key, or a part of what is in it.
type Piece struct {
	Key     string // behind what the keys of its tenant begin with
	Kind    Kind
	First   bool  // what came before of the key holds no longer
	Expires int64 // Unix ms; 0: never
	Items   []string
}

// Counts are how much of a tenant there is.
type Counts struct {
	Reports    int64 `json:"reports"`
	Workbooks  int64 `json:"workbooks"`
	Placements int64 `json:"placements"`
	Schedules  int64 `json:"schedules"`
	Runs       int64 `json:"runs"`
}

// Add adds the counts of another tenant.
func (c *Counts) Add(other Counts) {
	c.Reports += other.Reports
	c.Workbooks += other.Workbooks
	c.Placements += other.Placements
	c.Schedules += other.Schedules
	c.Runs += other.Runs
}

// The types of records. Each is its length, its type and texts, each with its length before.
const (
	recordTenant = 'T' // name
	recordPiece  = 'K' // kind and 1 for the first one, key, expires; items
	recordDrop   = 'D' // key
	recordTail   = 'E' // counts as JSON, digest
	recordEnd    = 'Z' // how many tenants there were
)

// maxRecord bounds the length of a record, so that a damaged one takes no memory: Redis has no larger text.
const maxRecord = 1 << 30

// appendText appends a text with its length before.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// texts takes the texts of a record apart.
func texts(b []byte) (list []string, err error) {
	for len(b) > 0 {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return nil, fmt.Errorf("%w: a record is damaged", ErrRefused)
		}
		list, b = append(list, string(b[size:size+int(n)])), b[size+int(n):]
	}
	return list, nil
}

// byteReader is what records are read from.
type byteReader interface {
	io.Reader
	io.ByteReader
}

// readRecord reads the bytes of the next record. room is used where it is large enough.
func readRecord(r byteReader, room []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	if n == 0 || n > maxRecord || n > math.MaxInt32 {
		return nil, fmt.Errorf("%w: a record is damaged", ErrRefused)
	}
	if uint64(cap(room)) < n {
		room = make([]byte, n)
	}
	room = room[:n]
	_, err = io.ReadFull(r, room)
	return room, err
}
