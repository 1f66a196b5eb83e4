package face

import (
	"cmp"
	"strings"
)

// DefaultFrameAncestors returns the origins whose pages frame the task pane: Google Sheets' and Excel's, as far as they are published.
func DefaultFrameAncestors() []string {
	return []string{
		"https://docs.google.com", "https://script.google.com", "https://*.googleusercontent.com",
		"https://*.officeapps.live.com", "https://*.sharepoint.com", "https://onedrive.live.com", "https://*.office.com",
		"https://*.microsoft365.com", "https://excel.cloud.microsoft",
	}
}

// officeScripts are where Office.js comes from, and what it loads itself.
const officeScripts = "https://appsforoffice.microsoft.com https://ajax.aspnetcdn.com"

// policies returns the Content-Security-Policy of each face.
func policies(c Config) map[string]string {
	ancestors := c.FrameAncestors
	if ancestors == nil {
		ancestors = DefaultFrameAncestors()
	}
	all := map[string]string{
		"addin":   policy(officeScripts, append([]string{"'self'"}, ancestors...)...),
		"console": policy(""),
	}
	if c.Demo {
		all["demo"] = policy("")
	}
	return all
}

// policy admits what the server sends itself, the scripts of other origins, and to be framed by ancestors. Nothing inline.
func policy(scripts string, ancestors ...string) string {
	return strings.Join([]string{
		"default-src 'none'",
		strings.TrimSpace("script-src 'self' " + scripts),
		"style-src 'self'",
		"img-src 'self' data:",
		"connect-src 'self'",
		"frame-src 'self'",
		"base-uri 'self'",
		"form-action 'none'",
		"frame-ancestors " + cmp.Or(strings.Join(ancestors, " "), "'none'"),
	}, "; ")
}
