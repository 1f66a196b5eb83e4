package request

import (
	"net/http"
	"testing"
)

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"gzip": true, "deflate, GZIP;q=0.5": true, "gzip;q=0": false, "gzip; q=0.0": false, "br": false, "": false, "gzip;q=x": false,
	} {
		if got := Accepts(header, "gzip"); got != want {
			t.Errorf("Accepts(%q, gzip) = %t", header, got)
		}
	}
}

func TestACodeWithoutAStatusIsA500(t *testing.T) {
	if got := Status("made_up"); got != http.StatusInternalServerError || Retryable("made_up") {
		t.Errorf("answered %d", got)
	}
}
