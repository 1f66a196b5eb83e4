package record

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"

	"mooring/placements"
)

// Deployment names a deployment of a tenant.
type Deployment struct {
	Tenant string
	ID     int64
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// publicIDLength is exact (interface.md, Limits).
const publicIDLength = 12

// PublicIDFault says what is wrong with a publicId that a client sent: a code and a sentence, both empty when nothing is. The reserved
// placeholder shape is six zeros and six more characters (decisions.md §4).
func PublicIDFault(id string) (code placements.Code, message string) {
	if !IsPublicID(id) {
		return placements.CodePublicID, "A publicId has exactly 12 characters, 0-9, A-Z or a-z: choose such a one."
	}
	if reserved(id) {
		return placements.CodeReservedID, "A publicId that begins with six zeros is reserved: choose another one."
	}
	return "", ""
}

// IsPublicID reports whether id has the form of a publicId; a reserved one has it too.
func IsPublicID(id string) bool { return len(id) == publicIDLength && strings.Trim(id, base62) == "" }

func reserved(id string) bool { return strings.HasPrefix(id, "000000") }

// SynthesizedID is what a report shows as long as no publicId is stored: 12 base-62 characters of a digest of what it was first
// created as, so that identical creations share it (decisions.md §4).
func SynthesizedID(name, sqlQuery, jsonQuery string) string {
	return digestID(name, sqlQuery, jsonQuery)
}

// DerivedID is the publicId that a report of a project has in an environment whose ids are derived, since a publicId is unique in the whole
// account (faces.md §5).
func DerivedID(environment, publicID string) string { return digestID(environment, publicID) }

// FreshID is the publicId that a project stores for a report which has none of its own and shows one that others show or store (faces.md
// §5). It says which report it is for, so that a bundle which names it means that report, and nothing has to be kept until it is applied:
// R, four characters of a digest, and the report's id in base 62.
func FreshID(d Deployment, report int64) string {
	id := make([]byte, freshDigits)
	rest := report
	for i := range id {
		id[len(id)-1-i] = base62[rest%62]
		rest /= 62
	}
	text := strconv.FormatInt(report, 10)
	check := digestID(d.Tenant, strconv.FormatInt(d.ID, 10), text)
	return "R" + check[:publicIDLength-1-freshDigits] + string(id)
}

const freshDigits = 7 // enough for ids up to 3·10^12

// FreshIDOf returns the report of the deployment that a publicId was made for by FreshID; 0 for other publicIds.
func FreshIDOf(d Deployment, publicID string) (report int64) {
	if !IsPublicID(publicID) {
		return 0
	}
	for _, digit := range publicID[publicIDLength-freshDigits:] {
		report = report*62 + int64(strings.IndexRune(base62, digit))
	}
	if FreshID(d, report) != publicID {
		return 0
	}
	return report
}

// digestID makes a publicId of texts: the same for the same texts, and never a reserved one.
func digestID(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	for sum := h.Sum(nil); ; sum = h.Sum(nil) {
		if id := base62ID(sum); !reserved(id) {
			return id
		}
		h.Write(sum)
	}
}

// base62ID writes the number that sum is, its last 12 digits.
func base62ID(sum []byte) string {
	n, base, digit := new(big.Int).SetBytes(sum), big.NewInt(62), new(big.Int)
	id := make([]byte, publicIDLength)
	for i := range id {
		n.DivMod(n, base, digit)
		id[len(id)-1-i] = base62[digit.Int64()]
	}
	return string(id)
}

// QueryChecksum digests what decides a report's cells: SHA-256, in hex, of canonical JSON, which is compact and has its keys sorted
// (decisions.md §4). A jsonQuery counts as the text it is; parameters by name, type and whether they are lists, if there are any.
func QueryChecksum(d *Definition) (string, error) {
	text, err := Encode(struct {
		JSONQuery  string                          `json:"jsonQuery"`
		Parameters []placements.ParameterSignature `json:"parameters,omitempty"`
		PivotItems *PivotItems                     `json:"pivotItems"`
		SQLQuery   string                          `json:"sqlQuery"`
	}{d.JSONQuery, placements.Signature(d.Parameters), d.PivotItems, d.SQLQuery})
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), err
}
