package source

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mooring/placements"
)

// Fault is a fault in these words. Those that are a source's own, which are Words among args, can be taken out of it again.
func Fault(class placements.Class, cause error, format string, args ...any) *placements.Fault {
	f := &placements.Fault{Class: class, Message: fmt.Sprintf(format, args...), Err: cause}
	said := &quoting{format, args, cause}
	if len(said.words()) > 0 {
		f.Err = said
	}
	return f
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

// Words are a database's own.
type Words struct {
	text string
	kind string // what is told of them where the text may not be
}

func (w Words) String() string { return w.text }

// unquoted is what is told of words that may quote what not all may see.
func (w Words) unquoted() string { return w.kind + leftOut }

// quoting is the cause of a fault whose message has words of a database.
type quoting struct {
	format string
	args   []any
	cause  error // nil for none
}

// words are the texts of the words.
func (e *quoting) words() (texts []string) {
	for _, a := range e.args {
		if w, ok := a.(Words); ok {
			texts = append(texts, w.text)
		}
	}
	return texts
}

// message is that of the fault, with its words told as said.
func (e *quoting) message(said func(Words) string) string {
	args := slices.Clone(e.args)
	for i, a := range args {
		if w, ok := a.(Words); ok {
			args[i] = said(w)
		}
	}
	return fmt.Sprintf(e.format, args...)
}

func (e *quoting) Error() string {
	if e.cause == nil {
		return e.message(Words.String)
	}
	return e.cause.Error()
}

func (e *quoting) Unwrap() error { return e.cause }

// Said is the first line of a database's own message, fit for a user: it names the query's fault and nothing of the machine. A message that may
// quote values of the query becomes its kind, such as "error 1105", where Unquoted has to leave it out.
func Said(kind, message string) Words { return Words{shown(message), kind} }

func shown(message string) string {
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
