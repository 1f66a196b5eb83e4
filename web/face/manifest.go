package face

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"text/template"
)

//go:embed manifest.xml
var manifestText string

// Manifest returns the manifest of the Excel add-in, whose pane is below publicURL. false: that is no https address, and Excel takes no
// other.
func Manifest(publicURL string) ([]byte, bool) {
	u, err := url.Parse(publicURL)
	if err != nil || u.Scheme != "https" {
		return nil, false
	}
	t, err := template.New("manifest").Parse(manifestText)
	if err != nil {
		return nil, false
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]string{"ID": addinID(publicURL), "URL": escaped(publicURL), "Origin": escaped("https://" + u.Host)})
	return b.Bytes(), err == nil
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
