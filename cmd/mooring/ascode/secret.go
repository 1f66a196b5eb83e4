package ascode

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"mooring/cmd/mooring/yaml"
)

// secret is a pattern of texts that have no place in a file that is kept in source control.
type secret struct {
	what string
	hint string // in lower case, what every match has: it is found much faster than the pattern
	form *regexp.Regexp
}

// secrets are known by their form only: a report may show columns with any names.
var secrets = []secret{
	{"a private key", "private key-----", regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----`)},
	{"a token", "eyj", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`)},
	{"a bearer token", "bearer", regexp.MustCompile(`(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}`)},
	{"a password in an address", "://", regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"']*:[^\s/@"']+@`)},
	{"a password in an address", "://", regexp.MustCompile(`(?i)://[^\s"']*[?&;](password|passwd|pwd|token|secret|api_?key)=[^\s"'&]+`)},
	{"a password in a connection string", "password=", regexp.MustCompile(`(?i)\b(host|server|user|dbname)=[^\s;]+[\s;].*\bpassword=[^\s"']`)},
	{"a password in a connection string", "pwd=", regexp.MustCompile(`(?i)\b(server|uid|data source)=[^;]+;.*\bpwd=[^\s"']+`)},
}

// fitsNoSecret reports each line of a file that holds a secret, but never the secret.
func (f *Faults) fitsNoSecret(file, text string) {
	n := 0
	for l := range strings.Lines(text) {
		n++
		lower := strings.ToLower(l)
		for _, s := range secrets {
			if !strings.Contains(lower, s.hint) {
				continue
			}
			if at := s.form.FindStringIndex(l); at != nil {
				place := yaml.Place{File: file, Line: n, Column: 1 + utf8.RuneCountInString(l[:at[0]])}
				f.add(RuleSecret, place, "looks like %s: take it out, and replace it where it is used, since it stands in a file", s.what)
				break
			}
		}
	}
}
