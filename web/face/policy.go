package face

import (
	"maps"
	"slices"
	"strings"
)

// DefaultFrameAncestors returns the origins whose pages frame the task pane: Google Sheets' and Excel's, as far as they are published.
func DefaultFrameAncestors() []string {
	return []string{
		"https://docs.google.com", "https://script.google.com", "https://*.googleusercontent.com",
		"https://*.officeapps.live.com", "https://*.sharepoint.com", "https://onedrive.live.com", "https://*.office.com",
		"https://*.microsoft365.com", "https://*.cloud.microsoft",
	}
}

// officeScripts are where Office.js comes from, and what it loads itself.
var officeScripts = []string{"https://appsforoffice.microsoft.com", "https://ajax.aspnetcdn.com"}

// policies returns the Content-Security-Policy of each face.
func policies(c Config) map[string]string {
	ancestors := c.FrameAncestors
	if ancestors == nil {
		ancestors = DefaultFrameAncestors()
	}
	addin := ownPolicy()
	addin.admit("script-src", officeScripts...)
	addin.admit("frame-ancestors", append([]string{"'self'"}, ancestors...)...)
	for _, directive := range slices.Sorted(maps.Keys(c.Policy)) {
		addin.admit(directive, c.Policy[directive]...)
	}
	all := map[string]string{"addin": addin.String(), "console": ownPolicy().String()}
	if c.Demo {
		all["demo"] = ownPolicy().String()
	}
	return all
}

// policy is a Content-Security-Policy.
type policy []directive

type directive struct {
	name    string
	sources []string // none: 'none'
}

// ownPolicy admits what the server sends itself, and nothing inline.
func ownPolicy() policy {
	return policy{
		{"default-src", nil},
		{"script-src", []string{"'self'"}},
		{"style-src", []string{"'self'"}},
		{"img-src", []string{"'self'", "data:"}},
		{"connect-src", []string{"'self'"}},
		{"frame-src", []string{"'self'"}},
		{"base-uri", []string{"'self'"}},
		{"form-action", nil},
		{"frame-ancestors", nil},
	}
}

// admit adds sources to a directive. One that the policy has not said takes the server's own beside them.
func (p *policy) admit(name string, sources ...string) {
	i := slices.IndexFunc(*p, func(d directive) bool { return d.name == name })
	if i < 0 {
		*p, i = append(*p, directive{name, []string{"'self'"}}), len(*p)
	}
	d := &(*p)[i]
	for _, source := range sources {
		if !slices.Contains(d.sources, source) {
			d.sources = append(d.sources, source)
		}
	}
}

func (p policy) String() string {
	texts := make([]string, len(p))
	for i, d := range p {
		texts[i] = d.name + " " + strings.Join(d.sources, " ")
		if len(d.sources) == 0 {
			texts[i] = d.name + " 'none'"
		}
	}
	return strings.Join(texts, "; ")
}
