package backup

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Format is the number of the form of a file that this package writes. It reads those up to it.
const Format = 1

// magic is the value of the first member of a header.
const magic = "mooring backup"

// Header says what a file is. It is readable by eye: head -1 FILE.
type Header struct {
	File       string    `json:"file"` // magic
	Format     int       `json:"format"`
	Layout     int       `json:"layout"`     // of what is in the keys, see keys.Schema
	Version    string    `json:"version"`    // of the program that wrote it
	Partitions int       `json:"partitions"` // of the storage that it is of
	At         time.Time `json:"at"`         // when it was begun, by the storage's clock
}

// maxHeader is the longest header, in bytes.
const maxHeader = 4096

// readHeader reads the first line of a file.
func readHeader(r *bufio.Reader) (h Header, err error) {
	line, err := r.Peek(maxHeader)
	if err != nil && len(line) == 0 {
		return h, fmt.Errorf("%w: the file is empty", ErrRefused)
	}
	for i, b := range line {
		if b == '\n' {
			line = line[:i+1]
			break
		}
	}
	if json.Unmarshal(line, &h) != nil || h.File != magic {
		return Header{}, fmt.Errorf("%w: this is no backup of Mooring", ErrRefused)
	}
	if h.Format > Format {
		return Header{}, fmt.Errorf("%w: it was written by version %s in format %d, and this version reads formats up to %d: "+
			"use that version or a later one",
			ErrRefused, h.Version, h.Format, Format)
	}
	_, err = r.Discard(len(line))
	return h, err
}

// writeHeader writes the first line of a file.
func writeHeader(w io.Writer, h Header) error {
	h.File, h.Format = magic, Format
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
