package request

import (
	"compress/gzip"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

// Answer is what an operation returns that is more than a value to be shown as JSON under status 200. Send sends it; its error is answered
// if nothing was sent yet.
type Answer interface{ Send(c *Call) error }

// send answers with what an operation has returned.
func send(c *Call, out any, err error) error {
	if err != nil {
		return err
	}
	if answer, ok := out.(Answer); ok {
		return answer.Send(c)
	}
	c.JSON(http.StatusOK, out)
	return nil
}

// JSON answers with a status and a value.
func (c *Call) JSON(status int, v any) { c.gin.JSON(status, v) }

// Data answers with ready-made bytes of that type.
func (c *Call) Data(status int, contentType string, body []byte) {
	c.gin.Data(status, contentType, body)
}

// Status sets the status of an answer without a body, or whose body follows.
func (c *Call) Status(status int) { c.gin.Status(status) }

// jsonType is the Content-Type of JSON that is ready-made.
const jsonType = "application/json; charset=utf-8"

// JSON is a ready-made answer.
type JSON []byte

// Send implements Answer.
func (j JSON) Send(c *Call) error {
	c.Data(http.StatusOK, jsonType, j)
	return nil
}

// Encoded is the answer with the JSON of v, with nothing escaped for HTML, which no client of a JSON interface needs.
func Encoded(v any) (JSON, error) {
	text, err := record.EncodeBytes(v)
	return JSON(text), err
}

// Accepted is the answer to a request whose work goes on.
type Accepted struct {
	Value    any
	Location string // empty: none
}

// Send implements Answer.
func (a Accepted) Send(c *Call) error {
	if a.Location != "" {
		c.Set("Location", a.Location)
	}
	c.JSON(http.StatusAccepted, a.Value)
	return nil
}

// Deleted is the answer to a deletion: the id of what is gone.
type Deleted struct {
	ID int64 `json:"id"`
}

// Tell tells in a header what a write did (decisions.md §1); a read does nothing worth telling.
func (c *Call) Tell(did record.WriteEffect) {
	if !c.Reads() {
		c.Set("X-Mooring-Result", did.String())
	}
}

// Tagged is an asset as ready-made JSON under its ETag, with what was done to it; 304 when the client has it already.
type Tagged struct {
	Edition Edition
	Effect  record.WriteEffect
	JSON    []byte
}

// Send implements Answer.
func (t Tagged) Send(c *Call) error {
	c.Tell(t.Effect)
	tag := t.Edition.Tag(t.JSON)
	c.Set("ETag", tag)
	if c.Reads() && c.Has(tag) {
		c.Status(http.StatusNotModified)
		return nil
	}
	return JSON(t.JSON).Send(c)
}

// Packed is a long JSON answer on its way, packed if the client takes that.
type Packed struct {
	io.Writer
	pack *gzip.Writer
}

// Pack begins an answer of JSON that to sends.
func (c *Call) Pack(to io.Writer) *Packed {
	w := &Packed{Writer: to}
	c.Set("Content-Type", jsonType)
	c.gin.Writer.Header().Add("Vary", "Accept-Encoding")
	if Accepts(c.Header("Accept-Encoding"), "gzip") {
		c.Set("Content-Encoding", "gzip")
		w.pack, _ = gzip.NewWriterLevel(to, gzip.BestSpeed)
		w.Writer = w.pack
	}
	c.Status(http.StatusOK)
	return w
}

// Close ends the packed form.
func (w *Packed) Close() error {
	if w.pack == nil {
		return nil
	}
	return w.pack.Close()
}

// Accepts reports whether an Accept-Encoding header names a content coding (RFC 9110 §12.5.3).
func Accepts(header, wanted string) bool {
	for coding := range strings.SplitSeq(header, ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if !strings.EqualFold(strings.TrimSpace(name), wanted) {
			continue
		}
		weight, has := strings.CutPrefix(strings.ReplaceAll(q, " ", ""), "q=")
		v, err := strconv.ParseFloat(weight, 64)
		return !has || err == nil && v > 0
	}
	return false
}

// errorBody is the body of every error answer (decisions.md §2).
type errorBody struct {
	StatusCode int                 `json:"statusCode"`
	Error      string              `json:"error"`
	Message    string              `json:"message"`
	Code       placements.Code     `json:"code,omitempty"`
	Retryable  bool                `json:"retryable"`
	Count      *int                `json:"count,omitempty"`
	Details    []placements.Detail `json:"details,omitempty"`
}

// writeError answers with e.
func writeError(c *Call, e *placements.Error) {
	to := responseTo(e.Code)
	body := errorBody{
		StatusCode: to.status,
		Error:      http.StatusText(to.status),
		Message:    e.Message,
		Code:       e.Code,
		Retryable:  to.retryable,
		Count:      e.Count,
		Details:    e.Details,
	}
	if e.Code == placements.CodeElsewhere {
		body.Code = "" // interface.md, report upsert rule 6
	}
	if after := RetryAfter(e); after > 0 {
		c.Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	}
	switch e.Code {
	case placements.CodeUnauthorized:
		c.Set("WWW-Authenticate", "Bearer")
	case placements.CodeSignature:
		c.Set("WWW-Authenticate", "Signature")
	}
	c.JSON(to.status, body)
}
