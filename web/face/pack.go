package face

import (
	"bytes"
	"compress/gzip"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
)

// packed is a text, and what it is packed as, made when it is first asked for: to pack as small as can be takes long.
type packed struct {
	text         []byte
	brotli, gzip packing
}

type packing struct {
	once  sync.Once
	bytes []byte
}

// Brotli returns the text as the content coding br has it, about a tenth smaller than gzip: modules are many and short.
func (f File) Brotli() []byte {
	return f.packed.brotli.of(f.Text, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, brotli.BestCompression) })
}

// Gzip returns the text as the content coding gzip has it, which is all that browsers take over http.
func (f File) Gzip() []byte {
	return f.packed.gzip.of(f.Text, func(w io.Writer) io.WriteCloser {
		z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // the level is one
		return z
	})
}

func (p *packing) of(text []byte, coding func(io.Writer) io.WriteCloser) []byte {
	p.once.Do(func() {
		var b bytes.Buffer
		w := coding(&b)
		_, _ = w.Write(text) // to a buffer, which takes all
		_ = w.Close()
		p.bytes = b.Bytes()
	})
	return p.bytes
}
