package source_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
)

func TestConfigFromYAML(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       source.Config
	}{
		{"sqlite", "{kind: sqlite, path: shop.db}", source.Config{Kind: "sqlite", Path: "shop.db"}},
		{
			"postgres", "{kind: postgres, url: 'postgres://u:p@h/d', statementTimeout: 60s, rowSecurity: true, maxConnections: 8}",
			source.Config{Kind: "postgres", URL: "postgres://u:p@h/d", StatementTimeout: time.Minute, RowSecurity: true, MaxConnections: 8},
		},
		{
			"cube", "{kind: cube, url: 'https://h/cubejs-api', token: t, rowLimit: 10, maxRows: 5, maxCells: 7, maxBytes: 64MiB}",
			source.Config{Kind: "cube", URL: "https://h/cubejs-api", Token: "t", RowLimit: 10, MaxRows: 5, MaxCells: 7, MaxBytes: 64 << 20},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got source.Config
			if err := yaml.UnmarshalWithOptions([]byte(c.text), &got, yaml.Strict()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("config (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOpenNamesTheKeyAtFault(t *testing.T) {
	for _, c := range []struct {
		name   string
		config source.Config
		want   string
	}{
		{"no kind", source.Config{}, "kind: missing; it is one of sqlite, postgres, cube"},
		{"an unknown kind", source.Config{Kind: "mysql"}, `kind: "mysql" is unknown; it is one of sqlite, postgres, cube`},
		{"sqlite without a file", source.Config{Kind: "sqlite"}, "path: missing"},
		{"sqlite with a URL", source.Config{Kind: "sqlite", Path: "x", URL: "y"}, "url: means nothing to kind sqlite"},
		{"postgres without a URL", source.Config{Kind: "postgres"}, "url: missing"},
		{"postgres with a bad URL", source.Config{Kind: "postgres", URL: "postgres://u:hunter2@h:port/d"}, "url: is no address"},
		{"postgres with a token", source.Config{Kind: "postgres", URL: "postgres://h/d", Token: "t"}, "token: means nothing"},
		{"row security on the bare wire", source.Config{Kind: "postgres", URL: "postgres://h/d", WireOnly: true, RowSecurity: true}, "rowSecurity: "},
		{"cube without a URL", source.Config{Kind: "cube"}, "url: missing"},
		{"cube with a path for a URL", source.Config{Kind: "cube", URL: "cubejs-api"}, "url: is no base"},
		{"cube with another scheme", source.Config{Kind: "cube", URL: "postgres://u:hunter2@h"}, "url: is no base"},
		{"cube with a password in its URL", source.Config{Kind: "cube", URL: "https://u:hunter2@h/cubejs-api"}, "url: is no base"},
		{"cube with row security", source.Config{Kind: "cube", URL: "https://h", RowSecurity: true}, "rowSecurity: means nothing"},
		{"a negative timeout", source.Config{Kind: "sqlite", Path: "x", StatementTimeout: -1}, "statementTimeout: must not be negative"},
		{"two faults at once", source.Config{Kind: "sqlite", MaxRows: -1}, "path: missing; kind sqlite needs it\nmaxRows: must not"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := source.Open(context.Background(), c.config)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error tells a secret: %v", err)
			}
		})
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	config := source.Config{Kind: "cube", URL: "https://hunter2/", Token: "hunter2"}
	asJSON, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("opened", "source", config, "token", config.Token)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("opened", "source", config, "token", config.Token)
	for _, printed := range []string{
		fmt.Sprint(config), fmt.Sprintf("%+v", config), fmt.Sprintf("%#v", config), fmt.Sprintf("%q", config.Token),
		string(asJSON), string(asYAML), log.String(),
	} {
		if strings.Contains(printed, "hunter2") {
			t.Errorf("told: %s", printed)
		}
	}
}

func TestOneKindOfQueryOnly(t *testing.T) {
	server := newFakeCube(t, nil)
	for _, c := range []struct {
		name   string
		config source.Config
		query  source.Query
	}{
		{"sqlite has no jsonQuery", source.Config{Kind: "sqlite", Path: "none.db"}, source.Query{JSON: "{}"}},
		{"postgres has no jsonQuery", source.Config{Kind: "postgres", URL: "postgres://127.0.0.1:1/none"}, source.Query{JSON: "{}"}},
		{"cube takes one of both", server.config(), source.Query{JSON: "{}", SQL: "SELECT 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := sourcetest.Open(t, c.config).Query(context.Background(), c.query, new(checksum.Builder))
			if err == nil || !strings.Contains(err.Error(), "jsonQuery") {
				t.Errorf("got %v, want a fault about the jsonQuery", err)
			}
		})
	}
}
