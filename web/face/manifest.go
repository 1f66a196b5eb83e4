package face

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"text/template"
)

//go:embed manifest.xml
var manifestText string

// ManifestTemplate is the number of the template. Whoever changes the template raises it.
const ManifestTemplate = 1

// Manifest is the manifest of the Excel add-in of one address, but for its version. The zero value is none.
type Manifest struct {
	Hash   string // of what it is made of
	values map[string]string
}

// NewManifest makes the manifest of the add-in whose pane is below publicURL. false: that is no https address, and Excel takes no other.
func NewManifest(publicURL string) (Manifest, bool) {
	u, err := url.Parse(publicURL)
	if err != nil || u.Scheme != "https" {
		return Manifest{}, false
	}
	m := Manifest{values: map[string]string{"ID": addinID(publicURL), "URL": escaped(publicURL), "Origin": escaped("https://" + u.Host)}}
	text, err := m.Text(0, 0)
	hash := sha256.Sum256(text)
	m.Hash = hex.EncodeToString(hash[:])
	return m, err == nil
}

// Text returns the manifest as the version that a template's number and a count make. Excel takes a manifest anew only if its version grew.
func (m Manifest) Text(templateNumber, number int64) ([]byte, error) {
	t, err := template.New("manifest").Parse(manifestText)
	if err != nil {
		return nil, err
	}
	values := maps.Clone(m.values)
	values["Version"] = fmt.Sprintf("1.%d.%d.0", templateNumber, number)
	var b bytes.Buffer
	err = t.Execute(&b, values)
	return b.Bytes(), err
}

// addinID is the add-in's id, a UUID made of the address (RFC 9562, version 8): to Excel the manifests of two servers are two add-ins.
func addinID(publicURL string) string {
	id := sha256.Sum256([]byte(publicURL))
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
