package metrics

import (
	"io"
	"net/http"
	"net/http/pprof"
	"os"
	"strings"
)

// ProfilesPath is where Profiles answers.
const ProfilesPath = "/debug/pprof/"

// Profiles serves profiles of the process as go tool pprof asks for them.
func Profiles() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch strings.TrimPrefix(r.URL.Path, ProfilesPath) {
		case "cmdline": // the flags may hold the password of a Redis
			_, _ = io.WriteString(w, os.Args[0]) // #nosec G705 -- by whom the process was started, not by a request
		case "profile":
			pprof.Profile(w, r)
		case "symbol":
			pprof.Symbol(w, r)
		case "trace":
			pprof.Trace(w, r)
		default:
			pprof.Index(w, r)
		}
	})
}
