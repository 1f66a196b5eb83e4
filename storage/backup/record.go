package backup

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// ErrRefused says that a file is not what it should be, whole and unchanged. Nothing of it may be used.
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

// maxTexts bounds how many texts a record has: each takes memory, however short it is. A writer puts some hundred items into one.
const maxTexts = 1 << 18

// recordReader reads one record text by text, so that it takes no more memory than its texts.
type recordReader struct {
	in     *bufio.Reader
	left   uint64    // bytes of the record
	digest hash.Hash // of what was read
	room   []byte    // read, and not in digest yet
}

// maxRoom is how much is digested at once.
const maxRoom = 1 << 16

var errRecord = fmt.Errorf("%w: a record is damaged", ErrRefused)

// begin reads how long the next record is.
func (r *recordReader) begin() (err error) {
	if r.left, err = binary.ReadUvarint(r.in); err != nil {
		return err
	}
	if r.left == 0 || r.left > maxRecord {
		return errRecord
	}
	return nil
}

// ReadByte implements io.ByteReader.
func (r *recordReader) ReadByte() (byte, error) {
	if r.left == 0 {
		return 0, errRecord
	}
	b, err := r.in.ReadByte()
	if err == nil {
		r.left--
		r.note(b)
	}
	return b, err
}

// Read implements io.Reader.
func (r *recordReader) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n, err := r.in.Read(p[:min(uint64(len(p)), r.left)])
	r.left -= uint64(n)
	r.note(p[:n]...)
	return n, err
}

func (r *recordReader) note(b ...byte) {
	if r.room = append(r.room, b...); len(r.room) >= maxRoom {
		r.flush()
	}
}

// flush digests what was read.
func (r *recordReader) flush() {
	r.digest.Write(r.room)
	r.room = r.room[:0]
}

// texts reads the rest of the record.
func (r *recordReader) texts() (list []string, err error) {
	for r.left > 0 {
		if len(list) == maxTexts {
			return nil, fmt.Errorf("%w: a record has more than %d texts", ErrRefused, maxTexts)
		}
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, err
		}
		if n > r.left {
			return nil, errRecord
		}
		var text strings.Builder
		if _, err := io.CopyN(&text, r, int64(n)); err != nil { // grows with what there is
			return nil, err
		}
		list = append(list, text.String())
	}
	r.flush()
	return list, nil
}
