package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"mooring/web/auth"
)

// widened are the directives of the task pane's Content-Security-Policy that the configuration may widen. true: by origins only, since more
// would let in what others write, or decide where the pane is shown.
var widened = map[string]bool{
	"script-src": true, "worker-src": true, "frame-src": true, "frame-ancestors": true,
	"connect-src": false, "font-src": false, "img-src": false, "media-src": false, "style-src": false,
}

// looseSource is a source of the other directives that is no origin: a scheme, or styles in the page.
var looseSource = regexp.MustCompile(`^(https:|wss:|data:|blob:|'unsafe-inline'|wss://(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]+)?)$`)

// checkPolicy checks what addin.csp adds to the policy of the task pane.
func (f *file) checkPolicy(csp map[string][]string) {
	for _, directive := range slices.Sorted(maps.Keys(csp)) {
		narrow, known := widened[directive]
		if !known {
			f.fault(f.place("addin", "csp", directive), "addin.csp: %q cannot be widened; these can: %s", directive,
				strings.Join(slices.Sorted(maps.Keys(widened)), ", "))
			continue
		}
		for i, source := range csp[directive] {
			at := f.place("addin", "csp", directive, i)
			err := auth.CheckOrigin(source)
			switch {
			case err == nil, !narrow && looseSource.MatchString(source):
			case narrow:
				f.fault(at, "addin.csp: %s takes origins only: %v", directive, err)
			default:
				f.fault(at, "addin.csp: %s: %v; https:, wss:, data:, blob: and 'unsafe-inline' can be written too", directive, err)
			}
		}
	}
}
