package auth

import (
	"fmt"
	"regexp"
	"strings"
)

// originPattern is a scheme and a host, in lower case, perhaps with a port; the host's first label may be a star when two more follow.
var originPattern = regexp.MustCompile(`^https?://(\*\.[a-z0-9-]+\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]+)?$`)

// originLabels are what the star of a pattern stands for.
var originLabels = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)*$`)

// CheckOrigin returns what is wrong with an entry of Origins; nil when nothing is.
func CheckOrigin(origin string) error {
	switch {
	case !originPattern.MatchString(origin):
		return fmt.Errorf("%q is no origin: write one such as https://addin.example.com, or https://*.example.com for all hosts below, "+
			"in lower case and without a path", origin)
	case strings.HasPrefix(origin, "https://") && strings.HasSuffix(origin, ":443"),
		strings.HasPrefix(origin, "http://") && strings.HasSuffix(origin, ":80"):
		return fmt.Errorf("%q: leave out the port, as browsers do with a scheme's own one", origin)
	}
	return nil
}

// Origins are the origins whose pages may call from a browser, each as CheckOrigin accepts it.
type Origins []string

// Admit reports whether an Origin header names one of them.
func (list Origins) Admit(origin string) bool {
	for _, o := range list {
		before, after, wild := strings.Cut(o, "*")
		if !wild && origin == o {
			return true
		}
		rest, begins := strings.CutPrefix(origin, before)
		labels, ends := strings.CutSuffix(rest, after)
		if wild && begins && ends && originLabels.MatchString(labels) {
			return true
		}
	}
	return false
}
