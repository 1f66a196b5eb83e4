package backup

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Handler is told what is in a file, in its order. An error of it ends the reading and is returned as it is.
type Handler interface {
	Tenant(name string) error
	Piece(p Piece) error
	Drop(key string) error
	Tail(c Counts) error
}

// Contents are what a file that was checked has.
type Contents struct {
	Header
	Digest  string // of the file
	Tenants []string
	Counts  Counts // of all tenants
}

// digestLine is the length of the last line: a SHA-256 in hexadecimal, and a line feed.
const digestLine = 2*sha256.Size + 1

// Check reads all of a file of that size and returns what it has. ErrRefused: it must not be used.
func Check(file io.ReaderAt, size int64) (*Contents, error) {
	if size < digestLine {
		return nil, fmt.Errorf("%w: it is too short to be a backup of Mooring", ErrRefused)
	}
	all, end := sha256.New(), size-digestLine
	if _, err := readHeader(bufio.NewReaderSize(io.NewSectionReader(file, 0, size), maxHeader)); err != nil {
		return nil, err // what is no backup is told so, whatever its digest would be
	}
	if _, err := io.Copy(all, io.NewSectionReader(file, 0, end)); err != nil {
		return nil, err
	}
	var last [digestLine]byte
	if _, err := file.ReadAt(last[:], end); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	digest := hex.EncodeToString(all.Sum(nil))
	if string(last[:]) != digest+"\n" {
		return nil, fmt.Errorf("%w: it was cut off or changed after it was written", ErrRefused)
	}
	contents := &contentsOf{Contents: Contents{Digest: digest}}
	var err error
	contents.Header, err = Read(file, size, contents)
	return &contents.Contents, err
}

// contentsOf is a Handler that notes what there is.
type contentsOf struct{ Contents }

func (c *contentsOf) Tenant(name string) error {
	c.Tenants = append(c.Tenants, name)
	return nil
}
func (c *contentsOf) Piece(Piece) error { return nil }
func (c *contentsOf) Drop(string) error { return nil }
func (c *contentsOf) Tail(n Counts) error {
	c.Counts.Add(n)
	return nil
}

// Read tells h what is in a file of that size. One that was not checked may turn out to be damaged after some of it was told: ErrRefused.
func Read(file io.ReaderAt, size int64, h Handler) (Header, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(file, 0, size-digestLine), 1<<16)
	header, err := readHeader(in)
	if err != nil {
		return header, err
	}
	body, err := gzip.NewReader(in)
	if err != nil {
		return header, damaged(err)
	}
	body.Multistream(false)
	r := &reader{recordReader: recordReader{in: bufio.NewReaderSize(body, 1<<16), digest: sha256.New()}, to: h}
	for !r.ended {
		if err := r.next(); err != nil {
			return header, err
		}
	}
	if _, err := r.in.ReadByte(); !errors.Is(err, io.EOF) {
		return header, fmt.Errorf("%w: more follows than was written", ErrRefused)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return header, fmt.Errorf("%w: more follows than was written", ErrRefused)
	}
	return header, nil
}

// reader reads the records of a file.
type reader struct {
	recordReader // its digest is of the records of the present tenant
	to           Handler
	within       bool // a tenant
	tenants      int
	ended        bool
}

// damaged is the error of a file that cannot be read on.
func damaged(err error) error {
	if errors.Is(err, ErrRefused) {
		return err
	}
	return fmt.Errorf("%w: it is damaged (%w)", ErrRefused, err)
}

var errOrder = fmt.Errorf("%w: its records are out of order", ErrRefused)

// next reads a record and tells of it.
func (r *reader) next() error {
	before := r.digest.Sum(nil)
	if err := r.begin(); err != nil {
		return damaged(err)
	}
	kind, err := r.ReadByte()
	if err != nil {
		return damaged(err)
	}
	if r.within == (kind == recordTenant || kind == recordEnd) {
		return errOrder
	}
	if kind == recordTenant {
		r.digest.Reset()
	}
	list, err := r.texts()
	if err != nil {
		return damaged(err)
	}
	return r.tell(kind, list, before)
}

// tell tells of a record. before is the digest of the tenant's records before it.
func (r *reader) tell(kind byte, list []string, before []byte) error {
	switch {
	case kind == recordTenant && len(list) == 1:
		r.within = true
		r.tenants++
		return r.to.Tenant(list[0])
	case kind == recordPiece && len(list) >= 3 && len(list[0]) == 2:
		expires, err := strconv.ParseInt(list[2], 10, 64)
		if err != nil {
			return damaged(err)
		}
		return r.to.Piece(Piece{Key: list[1], Kind: Kind(list[0][0]), First: list[0][1] == '1', Expires: expires, Items: list[3:]})
	case kind == recordDrop && len(list) == 1:
		return r.to.Drop(list[0])
	case kind == recordTail && len(list) == 2:
		return r.tail(list[0], bytes.Equal(before, []byte(list[1])))
	case kind == recordEnd && len(list) == 1 && list[0] == strconv.Itoa(r.tenants):
		r.ended = true
		return nil
	}
	return errOrder
}

func (r *reader) tail(counts string, whole bool) error {
	r.within = false
	var c Counts
	if err := json.Unmarshal([]byte(counts), &c); err != nil {
		return damaged(err)
	}
	if !whole {
		return fmt.Errorf("%w: the records of a tenant are not those that were written", ErrRefused)
	}
	return r.to.Tail(c)
}
