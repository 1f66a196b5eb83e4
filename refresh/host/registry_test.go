package host

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenNamesTheKeyAtFault(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		config Config
		want   string
	}{
		"a kind is needed":                {Config{}, "kind: missing"},
		"an unknown kind is named":        {Config{Kind: "paper"}, `kind: "paper" is unknown; it is one of xlsx`},
		"a missing key is named":          {Config{Kind: "xlsx"}, "dir: missing; kind xlsx needs it"},
		"a key of another kind is named":  {Config{Kind: "xlsx", Dir: dir, TenantID: "t"}, "tenantId: means nothing to kind xlsx"},
		"a negative quota is named":       {Config{Kind: "xlsx", Dir: dir, RequestsPerMinute: -1}, "requestsPerMinute: must not be negative"},
		"a folder that is not there":      {Config{Kind: "xlsx", Dir: filepath.Join(dir, "no")}, "dir:"},
		"all faults are reported at once": {Config{Kind: "xlsx", ClientID: "c"}, "dir: missing; kind xlsx needs it\nclientId: means nothing to kind xlsx"},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := Open(t.Context(), test.config)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open = %v, %v, want an error with %q", h, err, test.want)
			}
		})
	}
}

func TestOpenMakesTheHostOfTheKind(t *testing.T) {
	h, err := Open(t.Context(), Config{Kind: "xlsx", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := h.(*XLSX); !ok {
		t.Errorf("Open made a %T", h)
	}
}

func TestASecretDoesNotShow(t *testing.T) {
	c := Config{ClientSecret: "hidden"}
	for _, shown := range []string{fmt.Sprint(c), fmt.Sprintf("%#v", c), c.ClientSecret.String()} {
		if strings.Contains(shown, "hidden") {
			t.Errorf("the secret shows in %q", shown)
		}
	}
}
