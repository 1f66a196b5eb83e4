package backup

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"strconv"
)

// Writer writes a file. Its methods are called in this order: for each tenant Tenant, Piece and Drop as often as there are any, Tail; at
// last Close. After an error it must not be used.
type Writer struct {
	out     *bufio.Writer
	all     hash.Hash // of all that is written
	body    *gzip.Writer
	tenant  hash.Hash // of the records of the present tenant
	tenants int
	room    []byte
	head    []byte
}

// NewWriter begins a file.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	out := &Writer{out: bufio.NewWriterSize(w, 1<<16), all: sha256.New(), tenant: sha256.New()}
	digested := io.MultiWriter(out.out, out.all)
	if err := writeHeader(digested, h); err != nil {
		return nil, err
	}
	var err error
	out.body, err = gzip.NewWriterLevel(digested, gzip.BestSpeed)
	return out, err
}

// Tenant begins the records of a tenant.
func (w *Writer) Tenant(name string) error {
	w.tenants++
	w.tenant.Reset()
	return w.record(recordTenant, name)
}

// Piece adds a piece of a key.
func (w *Writer) Piece(p Piece) error {
	first := "0"
	if p.First {
		first = "1"
	}
	w.begin(recordPiece, string(p.Kind)+first, p.Key, strconv.FormatInt(p.Expires, 10))
	for _, item := range p.Items {
		w.room = appendText(w.room, item)
	}
	return w.end()
}

// Drop says that a key is not there.
func (w *Writer) Drop(key string) error { return w.record(recordDrop, key) }

// Tail ends the records of a tenant.
func (w *Writer) Tail(c Counts) error {
	counts, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return w.record(recordTail, string(counts), string(w.tenant.Sum(nil)))
}

// Close ends the file. What it is written to stays open.
func (w *Writer) Close() error {
	err := errors.Join(w.record(recordEnd, strconv.Itoa(w.tenants)), w.body.Close())
	if err != nil {
		return err
	}
	_, err = w.out.WriteString(hex.EncodeToString(w.all.Sum(nil)) + "\n")
	return errors.Join(err, w.out.Flush())
}

// record writes a record of those texts.
func (w *Writer) record(kind byte, list ...string) error {
	w.begin(kind, list...)
	return w.end()
}

func (w *Writer) begin(kind byte, list ...string) {
	w.room = append(w.room[:0], kind)
	for _, text := range list {
		w.room = appendText(w.room, text)
	}
}

func (w *Writer) end() error {
	w.head = binary.AppendUvarint(w.head[:0], uint64(len(w.room)))
	w.tenant.Write(w.room)
	_, err := w.body.Write(w.head)
	if err == nil {
		_, err = w.body.Write(w.room)
	}
	return err
}
