package mysql_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/source"
	"mooring/refresh/source/mysql"
	"mooring/refresh/source/sourcetest"
)

func TestMySQLConfigFromYAML(t *testing.T) {
	var got mysql.Config
	text := "{url: 'mysql://u:p@h/d', tls: off, ca: ca.pem, statementTimeout: 60s, maxConnections: 8}"
	if err := yaml.UnmarshalWithOptions([]byte(text), &got, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	want := mysql.Config{
		URL: "mysql://u:p@h/d", TLS: "off", CA: "ca.pem", Limits: source.Limits{StatementTimeout: time.Minute, MaxConnections: 8},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestMySQLConfigNamesTheKeyAtFault(t *testing.T) {
	rubbish := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(rubbish, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	const url = "mysql://u:hunter2@h/d"
	sourcetest.ConfigFaults(t, "hunter2", []sourcetest.ConfigFault{
		{Name: "no URL", Config: &mysql.Config{}, Want: "url: missing; kind mysql needs it"},
		{Name: "a bad port", Config: &mysql.Config{URL: "mysql://u:hunter2@h:port/d"}, Want: "url: is no address"},
		{Name: "the address of another kind", Config: &mysql.Config{URL: "postgres://u:hunter2@h/d"}, Want: "url: is no address"},
		{Name: "the driver's own form", Config: &mysql.Config{URL: "u:hunter2@tcp(h:3306)/d"}, Want: "url: is no address"},
		{Name: "no host", Config: &mysql.Config{URL: "mysql:///d"}, Want: "url: is no address"},
		{Name: "a path of two names", Config: &mysql.Config{URL: "mysql://u:hunter2@h/d/e"}, Want: "url: is no address"},
		{Name: "options in the URL", Config: &mysql.Config{URL: url + "?allowAllFiles=true"}, Want: "url: ends with the database"},
		{Name: "row security", Config: &mysql.Config{URL: url, RowSecurity: true}, Want: "rowSecurity: MariaDB and MySQL have no row-level security"},
		{Name: "an unknown encryption", Config: &mysql.Config{URL: url, TLS: "preferred"}, Want: "tls: is verify, unverified or off"},
		{Name: "certificates for nothing", Config: &mysql.Config{URL: url, TLS: "off", CA: "ca.pem"}, Want: "ca: "},
		{Name: "a file that is not there", Config: &mysql.Config{URL: url, CA: filepath.Join(t.TempDir(), "ca.pem")}, Want: "ca: open "},
		{Name: "a file of something else", Config: &mysql.Config{URL: url, CA: rubbish}, Want: "ca: the file holds no certificate"},
		{
			Name: "a negative limit", Config: &mysql.Config{URL: url, Limits: source.Limits{MaxConnections: -1}},
			Want: "maxConnections: must not be negative",
		},
	})
}

func TestMySQLTakesOneKindOfQueryOnly(t *testing.T) {
	_, err := sourcetest.Open(t, &mysql.Config{URL: "mysql://127.0.0.1:1/none"}).Query(t.Context(), source.Query{JSON: "{}"}, new(checksum.Builder))
	if err == nil || !strings.Contains(err.Error(), "jsonQuery") {
		t.Errorf("got %v, want a fault about the jsonQuery", err)
	}
}
