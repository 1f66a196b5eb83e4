package web

import (
	"bytes"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mooring/checksum"
	"mooring/placements"
)

// A connect or disconnect costs little more than its body: one as clients usually send it is decoded straight into a struct. Whatever is unusual
// about a body leaves it to decode, which words every fault.

// plainConnection is a body of connectShape.
type plainConnection struct {
	placements.Connection
	Host           *placements.Host `json:"host"`
	ResultChecksum *plainChecksum   `json:"resultChecksum"`
}

type plainChecksum struct {
	V      plainNumber  `json:"v"`
	Chunks []plainChunk `json:"chunks"`
}

type plainChunk struct {
	From plainNumber `json:"from"`
	To   plainNumber `json:"to"`
	Hash string      `json:"hash"`
}

// plainNumber is an integer, if it was sent.
type plainNumber struct {
	n    int
	sent bool
}

// UnmarshalJSONFrom takes what whole takes.
func (p *plainNumber) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	text, err := d.ReadValue()
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(text))
	*p = plainNumber{n, true}
	return err
}

// plainly decodes a body that is plain JSON of v's members and others: names are exact and do not repeat, texts are valid.
func (s *Server) plainly(c *gin.Context, raw []byte, v any) bool {
	return bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")) && isJSON(c.GetHeader("Content-Type")) && !strict(c) &&
		depth(raw) <= s.limits.Depth && json.Unmarshal(raw, v) == nil
}

// plainConnection decodes a plain body of connectShape; ok is false for any other.
func (s *Server) plainConnection(c *gin.Context, raw []byte) (sent placements.Connection, ok bool) {
	var p plainConnection
	if !s.plainly(c, raw, &p) {
		return sent, false
	}
	if sent = p.Connection; !sent.OnEdit.Or(placements.Keep).Valid() {
		return sent, false
	}
	if p.Host != nil {
		if sent.Host = *p.Host; sent.Host != placements.SheetsA && sent.Host != placements.SheetsB {
			return sent, false
		}
	}
	if p.ResultChecksum != nil {
		if sent.ResultChecksum, ok = p.ResultChecksum.plain(); !ok {
			return sent, false
		}
	}
	return sent, true
}

// plain gives the checksum; ok is false when checksumShape might refuse it.
func (p *plainChecksum) plain() (sum *checksum.ResultChecksum, ok bool) {
	if !p.V.sent || p.Chunks == nil {
		return nil, false
	}
	sum = &checksum.ResultChecksum{V: p.V.n, Chunks: make([]checksum.Chunk, len(p.Chunks))}
	for i, chunk := range p.Chunks {
		if !chunk.From.sent || !chunk.To.sent || chunk.Hash == "" {
			return nil, false
		}
		sum.Chunks[i] = checksum.Chunk{From: chunk.From.n, To: chunk.To.n, Hash: chunk.Hash}
	}
	return sum, true
}

// plainTarget decodes a plain body of targetShape; ok is false for any other.
func (s *Server) plainTarget(c *gin.Context, raw []byte) (sent placements.Target, ok bool) {
	ok = s.plainly(c, raw, &sent)
	return sent, ok && short(sent.PlacementID, sent.ExternalWorkbookID, sent.SheetName, sent.AnchorCell, sent.ResultLocation, sent.SheetID)
}

// short tells whether texts are within maxText, whatever their characters.
func short(texts ...string) bool {
	for _, t := range texts {
		if len(t) > maxText {
			return false
		}
	}
	return true
}
