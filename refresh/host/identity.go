package host

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// What a document keeps its Identity under.
const (
	// DocumentName is the hidden defined name of a workbook that refers to the text of its Identity.
	DocumentName = markerPrefix + "document"
	// DocumentKey is the key of the developer metadata that has it in a spreadsheet without names for texts.
	DocumentKey = "mooring_document"
)

// Identity is what a document says of itself: which one it is, and a secret that only those know who have had it open. The zero value
// says nothing.
type Identity struct {
	Document string // a UUID in lower case
	Nonce    string
}

// NewIdentity makes the identity of a document that has none, or a copy's own. Its nonce has 132 random bits.
func NewIdentity() Identity {
	var random [16 + 18]byte // a UUID's, and a multiple of three for base64
	rand.Read(random[:])
	random[6], random[8] = random[6]&0x0f|0x40, random[8]&0x3f|0x80 // version 4, RFC 9562
	u := random[:16]
	return Identity{
		Document: fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]),
		Nonce:    base64.RawURLEncoding.EncodeToString(random[16:])[:22],
	}
}

// The form of a nonce is that of the interface, which takes 16 characters already; what Mooring makes has 22.
var identityForm = regexp.MustCompile(`^([0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}) ([A-Za-z0-9_-]{16,64})$`)

// ParseIdentity reads the text of an identity, as String writes it but with a UUID in any case, or the formula that is that text: ="…". Services drop its = or its
// quotation marks too. Any other text says nothing: it is the zero Identity.
func ParseIdentity(text string) Identity {
	text = strings.TrimPrefix(text, "=")
	if inner, ok := strings.CutPrefix(text, `"`); ok {
		if text, ok = strings.CutSuffix(inner, `"`); !ok {
			return Identity{}
		}
	}
	m := identityForm.FindStringSubmatch(text)
	if m == nil {
		return Identity{}
	}
	return Identity{Document: strings.ToLower(m[1]), Nonce: m[2]}
}

// String is the text that a document keeps; empty for the zero Identity.
func (i Identity) String() string {
	if i == (Identity{}) {
		return ""
	}
	return i.Document + " " + i.Nonce
}

// Formula is the text as what a defined name refers to, without a formula's =.
func (i Identity) Formula() string { return `"` + i.String() + `"` }

// Identified is a Session of a document that can say which one it is.
type Identified interface {
	// Identity returns what the document says of itself, the zero Identity if nothing. It makes at most one request, and none where
	// Read has told it already.
	Identity(ctx context.Context) (Identity, error)
	// Identify has the next Write that changes something have the document say so from then on: a Write does not fail when only this
	// does, and Identity tells whether it did. The zero Identity has it leave what the document says. What ParseIdentity would not
	// read is not written.
	Identify(i Identity)
}

// NonceHash is what is kept of a nonce.
func NonceHash(nonce string) string {
	sum := sha256.Sum256([]byte(nonce))
	return hex.EncodeToString(sum[:])
}
