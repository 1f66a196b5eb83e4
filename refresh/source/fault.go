package source

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"mooring/placements"
)

func Fault(class placements.Class, cause error, format string, args ...any) *placements.Fault {
	return &placements.Fault{Class: class, Message: fmt.Sprintf(format, args...), Err: cause}
}

func Structure(cause error, format string, args ...any) *placements.Fault {
	return Fault(placements.Structure, cause, format, args...)
}

// maxSaid is how many bytes of a database's own message a user gets to see.
const maxSaid = 500

// internals finds what a database's message may tell of the machine it runs on: URLs, addresses with a port, absolute paths.
var internals = regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"']+` +
	`|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b` +
	`|\b(?:localhost|[\w-]+(?:\.[\w-]+)+):\d{2,5}\b` +
	`|(^|[\s"'(=])(?:/[\w.@+-]+){2,}/?` +
	`|\b[a-zA-Z]:\\[^\s"']+`)

// Said is the first line of a database's own message, fit for a user: it names the query's fault and nothing of the machine.
func Said(message string) string {
	message, _, _ = strings.Cut(strings.TrimSpace(message), "\n")
	message = internals.ReplaceAllString(message, "$1…")
	if len(message) <= maxSaid {
		return message
	}
	end := maxSaid
	for !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + "…"
}
