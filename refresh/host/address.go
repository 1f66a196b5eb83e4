package host

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

// FileAddress is where a client says that it has a document open, in a form that can be compared. The zero FileAddress says nothing.
type FileAddress struct {
	Host   string // in lower case; empty for a path of the client's machine
	Path   string // on the host, decoded, without slashes around it; empty for a path of the client's machine
	Name   string // the last element: the name of a file
	Shared bool   // Path is a link that was made to share a document, not the document's own
}

// maxAddress bounds an address in bytes: SharePoint's have at most 400 characters, some of three bytes, each of which is encoded as three.
const maxAddress = 4096

var (
	serverForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)
	appForm    = regexp.MustCompile(`^:[a-z]:$`)
	deviceForm = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
	driveForm  = regexp.MustCompile(`^[A-Za-z]:`)
)

// ParseAddress normalises an address of the web, with or without percent-encoding, or a path of some machine, of which it takes the last
// element only. Query and fragment are dropped. What is none of these, or would lead elsewhere than it seems to (.., encoded separators,
// names of devices, user information, control characters), is the zero FileAddress.
func ParseAddress(text string) FileAddress {
	text = strings.TrimSpace(text)
	if len(text) > maxAddress || !utf8.ValidString(text) {
		return FileAddress{}
	}
	scheme, rest, ok := strings.Cut(text, "://")
	switch {
	case !ok:
		return localAddress(text)
	case strings.EqualFold(scheme, "file"):
		rest, _, _ = strings.Cut(rest, "?")
		return localAddress(decoded(rest[strings.LastIndex(rest, "/")+1:]))
	case strings.EqualFold(scheme, "https"), strings.EqualFold(scheme, "http"):
		return webAddress(rest)
	}
	return FileAddress{}
}

// localAddress is the address of a path on a machine: the name of the file alone.
func localAddress(path string) FileAddress {
	path = driveForm.ReplaceAllString(path, "")
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	if !isName(name) {
		return FileAddress{}
	}
	return FileAddress{Name: name}
}

// webAddress is the address behind https://.
func webAddress(rest string) (a FileAddress) {
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	authority, path, _ := strings.Cut(rest, "/")
	a.Host = strings.TrimSuffix(strings.ToLower(authority), ":443")
	if !serverForm.MatchString(a.Host) {
		return FileAddress{}
	}
	elements := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	var link []string
	if len(elements) > 2 && appForm.MatchString(decoded(elements[0])) { // as in Excel for the web; :x:/r/ is a document's own address
		if a.Shared = elements[1] != "r"; a.Shared {
			link = []string{decoded(elements[0])}
			elements = elements[1:]
		} else {
			elements = elements[2:]
		}
	}
	for i, element := range elements {
		if elements[i] = decoded(element); !isName(elements[i]) {
			return FileAddress{}
		}
		a.Name = elements[i]
	}
	a.Path = strings.Join(append(link, elements...), "/")
	if a.Shared {
		a.Name = "" // the last element is a key
	}
	return a
}

// URL is the address with percent-encoding; empty for a path of a machine.
func (a FileAddress) URL() string {
	if a.Host == "" {
		return ""
	}
	return (&url.URL{Scheme: "https", Host: a.Host, Path: "/" + a.Path}).String()
}

// Below returns the path of the address below another, without regard to case, and whether it lies there.
func (a FileAddress) Below(other FileAddress) (path string, ok bool) {
	at, base := a.Path, other.Path
	switch {
	case a.Host == "" || a.Host != other.Host || a.Shared || other.Shared:
		return "", false
	case base == "":
		return at, true
	case len(at) < len(base) || !strings.EqualFold(at[:len(base)], base):
		return "", false
	case len(at) == len(base):
		return "", true
	}
	return at[len(base)+1:], at[len(base)] == '/'
}

// decoded is an element of a path without percent-encoding. One that is not encoded stays as it is.
func decoded(element string) string {
	if plain, err := url.PathUnescape(element); err == nil {
		return plain
	}
	return element
}

// isName reports whether an element of a path can be the name of a file or folder, at SharePoint and on all machines.
func isName(name string) bool {
	return name != "" && name != "." && name != ".." && utf8.ValidString(name) && !deviceForm.MatchString(name) &&
		!strings.ContainsAny(name, `/\:*?"<>|`) && strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}
