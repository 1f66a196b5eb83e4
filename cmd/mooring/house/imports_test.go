package house

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the module's directory, seen from this package's.
const root = "../../.."

// below lists for every package of the house what it may import of the house (DESIGN.md §1). A conformance suite stands
// beside its contract, and only tests import it.
var below = map[string][]string{
	"checksum":                  nil,
	"placements":                {"checksum"},
	"placements/placementstest": {"placements", "checksum"},
	"storage/redis":             nil,
	"storage/record":            {"storage/record/lifecycle", "placements", "checksum"},
	"storage/record/portable":   {"storage/record", "placements"},
	"storage/record/recordtest": {"storage/record"},
	"storage/record/lifecycle":  {"placements"},
	// A search of its own, through what the rules allow.
	"storage/record/lifecycle/lifecycletest": {"storage/record/lifecycle", "placements"},
	"storage/keys":                           {"storage/record"},
	"storage/standing":                       {"storage/keys", "storage/redis", "storage/record", "placements"},
	"storage/changes":                        {"storage/keys", "storage/redis", "storage/record"},
	"storage/queue":                          {"storage/keys", "storage/standing", "storage/redis", "storage/record", "storage/record/lifecycle", "placements"},
	"storage/list":                           {"storage/redis", "storage/record"},
	"storage/journal":                        {"storage/keys", "storage/redis", "storage/record", "placements"},
	"storage/tenants":                        {"storage/journal", "storage/keys", "storage/redis", "storage/record", "placements"},
	"storage/backup":                         nil,
	"storage/archive":                        {"storage/backup", "storage/tenants", "storage/keys", "storage/redis", "storage/record", "placements"},
	// The floor of the records: what runs transactions, and how records lie in Redis.
	"storage/engine": {
		"storage/changes", "storage/journal", "storage/keys", "storage/queue", "storage/standing", "storage/redis", "storage/record",
		"storage/record/lifecycle", "placements",
	},
	"storage/layout": {
		"storage/engine", "storage/changes", "storage/journal", "storage/keys", "storage/list", "storage/queue", "storage/standing", "storage/tenants",
		"storage/redis", "storage/record", "placements", "checksum",
	},
	// Rooms beside the records.
	"storage/code": {
		"storage/layout", "storage/engine", "storage/journal", "storage/keys", "storage/list", "storage/standing", "storage/redis",
		"storage/record", "storage/record/portable", "placements",
	},
	"storage/keep": {
		"storage/layout", "storage/engine", "storage/archive", "storage/backup", "storage/journal", "storage/keys", "storage/queue", "storage/redis",
		"storage/record", "placements",
	},
	"storage/work": {
		"storage/layout", "storage/engine", "storage/changes", "storage/journal", "storage/keys", "storage/queue", "storage/standing", "storage/redis",
		"storage/record", "storage/record/lifecycle", "placements", "checksum",
	},
	"storage": {
		"storage/code", "storage/keep", "storage/work", "storage/layout", "storage/engine", "storage/archive", "storage/backup", "storage/changes", "storage/journal",
		"storage/keys", "storage/list", "storage/queue", "storage/standing", "storage/tenants", "storage/redis",
		"storage/record", "storage/record/portable", "placements", "checksum",
	},
	"storage/storagetest":       {"storage", "storage/keep", "storage/work", "storage/queue", "storage/record", "placements", "checksum"},
	"refresh/secret":            nil,
	"refresh/retryafter":        nil,
	"refresh/signing":           nil,
	"refresh/trace":             nil,
	"refresh/source":            {"placements", "checksum"},
	"refresh/source/named":      {"refresh/source", "placements"},
	"refresh/source/sqlite":     {"refresh/source/named", "refresh/source", "placements", "checksum"},
	"refresh/source/files":      {"refresh/source/sqlite", "refresh/source", "placements", "checksum"},
	"refresh/source/postgres":   {"refresh/source/named", "refresh/source", "refresh/secret", "placements", "checksum"},
	"refresh/source/mysql":      {"refresh/source/named", "refresh/source", "refresh/secret", "placements", "checksum"},
	"refresh/source/cube":       {"refresh/source/named", "refresh/source", "refresh/secret", "refresh/retryafter", "refresh/trace", "placements", "checksum"},
	"refresh/source/sourcetest": {"refresh/source", "placements", "checksum"},
	"refresh/host":              {"placements", "checksum"},
	// The rows of sheets above the other parts, these above the file.
	"refresh/host/xlsx": {
		"refresh/host/xlsx/sheet", "refresh/host/xlsx/part", "refresh/host/xlsx/archive", "refresh/host/xlsx/shift", "refresh/host/xlsx/cursor",
		"refresh/host/xlsx/xml", "refresh/host/formula", "refresh/host", "placements", "checksum",
	},
	"refresh/host/xlsx/sheet": {
		"refresh/host/xlsx/part", "refresh/host/xlsx/archive", "refresh/host/xlsx/shift", "refresh/host/xlsx/cursor", "refresh/host/xlsx/xml",
		"refresh/host/formula", "refresh/host", "placements", "checksum",
	},
	"refresh/host/xlsx/part": {
		"refresh/host/xlsx/archive", "refresh/host/xlsx/cursor", "refresh/host/xlsx/xml", "refresh/host", "placements", "checksum",
	},
	"refresh/host/xlsx/archive": {"refresh/host/xlsx/xml", "placements"},
	"refresh/host/xlsx/cursor":  {"refresh/host/xlsx/xml", "refresh/host/formula", "placements"},
	"refresh/host/xlsx/shift":   {"refresh/host/xlsx/cursor", "refresh/host/xlsx/xml", "refresh/host/formula", "placements"},
	"refresh/host/formula":      {"placements"},
	"refresh/host/xlsx/xml":     {},
	"refresh/host/rest":         {"refresh/host", "refresh/retryafter", "refresh/trace", "placements", "checksum", "refresh/host/formula"},
	"refresh/host/google":       {"refresh/host/rest", "refresh/host", "placements", "checksum"},
	"refresh/host/graph":        {"refresh/host/rest", "refresh/host/formula", "refresh/host", "refresh/secret", "refresh/retryafter", "placements", "checksum"},
	"refresh/host/hosttest":     {"refresh/host", "placements", "checksum"},
	// The fakes of services.
	"refresh/host/google/googlefake": {"refresh/host/hosttest", "refresh/host/formula", "placements"},
	"refresh/host/graph/graphfake":   {"refresh/host/hosttest", "placements"},
	"refresh/cron":                   nil,
	"refresh/pivot":                  {"placements", "checksum"},
	"refresh/plan":                   {"refresh/host/formula", "placements", "checksum"},
	"refresh/probe":                  nil,
	"refresh/fault":                  {"refresh/trace", "storage", "placements"},
	"refresh/catalog":                {"refresh/fault", "refresh/result", "refresh/source", "storage/record", "placements", "checksum"},
	"refresh/result":                 {"refresh/fault", "refresh/secret", "refresh/pivot", "refresh/source", "refresh/trace", "storage/record", "placements", "checksum"},
	"refresh/notify":                 {"refresh/fault", "refresh/signing", "refresh/trace", "storage", "storage/work", "storage/record", "placements"},
	"refresh/watch":                  {"refresh/fault", "refresh/probe", "refresh/source", "storage", "storage/work", "storage/queue", "storage/record", "placements"},
	"refresh/site":                   {"refresh/fault", "refresh/host", "refresh/trace", "storage", "storage/work", "storage/record", "placements", "checksum"},
	"refresh/link":                   {"refresh/fault", "refresh/host", "refresh/site", "storage", "storage/work", "storage/record", "placements"},
	"refresh/parameter":              {"refresh/site", "refresh/host", "refresh/trace", "placements", "checksum"},
	"refresh/document": {
		"refresh/fault", "refresh/host", "refresh/host/formula", "refresh/parameter", "refresh/plan", "refresh/result", "refresh/site", "refresh/trace",
		"storage", "storage/work", "storage/queue", "storage/record", "placements", "checksum",
	},
	"refresh": {
		"refresh/catalog", "refresh/document", "refresh/parameter", "refresh/link", "refresh/fault", "refresh/site", "refresh/notify", "refresh/watch", "refresh/result", "refresh/cron", "refresh/pivot", "refresh/plan", "refresh/probe", "refresh/source", "refresh/host", "refresh/host/formula",
		"refresh/secret",
		"refresh/trace", "storage", "storage/work", "storage/queue", "storage/record", "storage/record/lifecycle", "storage/record/portable", "placements", "checksum",
	},
	// A test of its own, from outside the engine and its hosts.
	"refresh/marks": {"refresh", "refresh/source", "refresh/host", "storage", "storage/record", "placements", "checksum"},
	"refresh/cells": {"refresh", "refresh/source", "refresh/host", "refresh/secret", "storage", "storage/record", "placements", "checksum"},
	"web/auth":      {"storage/record"},
	"web/bind":      {"placements"},
	"web/client":    nil,
	"web/dashboard": {"storage/record", "placements"},
	"web/docs":      nil,
	"web/face":      nil,
	"web/hook":      {"web/bind", "refresh/signing", "storage/record", "storage/record/portable", "placements"},
	"web/members":   {"web/bind", "web/dashboard", "refresh", "refresh/cron", "storage/record", "storage/record/portable", "placements", "checksum"},
	"web/metrics":   {"storage/record", "placements"},
	"web/oidc":      {"storage/record"},
	// The fake of services.
	"web/oidc/oidcfake": nil,
	// The floor under the rooms of the interface: requests, who may send them, what several rooms ask of assets.
	"web/request": {"web/auth", "web/bind", "web/metrics", "refresh/trace", "storage", "storage/list", "storage/tenants", "storage/record", "placements"},
	"web/gate":    {"web/request", "web/auth", "web/hook", "web/oidc", "storage", "storage/record", "placements"},
	"web/access":  {"web/request", "web/auth", "storage", "storage/record", "placements"},
	"web/history": {"web/request", "web/auth", "storage", "storage/record"},
	"web/bulk":    {"web/request", "web/auth", "storage/record", "placements"},
	"web/wire":    {"web/request", "web/access", "web/sheet", "storage/record"},
	// The rooms.
	"web/account":    belowRooms,
	"web/authoring":  belowRooms,
	"web/events":     belowRooms,
	"web/hooks":      belowRooms,
	"web/overview":   belowRooms,
	"web/placements": belowRooms,
	"web/plans":      belowRooms,
	"web/reports":    belowRooms,
	"web/runs":       belowRooms,
	"web/schedules":  belowRooms,
	"web/workbooks":  belowRooms,
	"web/webtest":    {"storage/record", "storage/record/recordtest", "placements"},
	"web/sheet":      {"web/bind", "refresh", "refresh/host", "storage/record", "placements", "checksum"},
	"web": append([]string{
		"web/account", "web/authoring", "web/events", "web/hooks", "web/overview", "web/placements", "web/plans", "web/reports", "web/runs", "web/schedules", "web/workbooks",
		"web/docs", "web/face", "refresh/source", "refresh/signing", "refresh/trace", "storage/work",
	}, belowRooms...),
	"cmd/mooring/config": {
		"cmd/mooring/yaml", "cmd/mooring/yaml/shape", "web", "web/auth", "web/hook", "web/oidc", "refresh", "refresh/notify", "refresh/watch", "refresh/trace", "refresh/probe", "refresh/source", "refresh/host",
		"storage", "storage/record", "placements",
	},
	// Assets as code, on the command's side.
	"cmd/mooring/ascode": {"cmd/mooring/yaml", "cmd/mooring/yaml/shape", "refresh/cron", "storage/record", "storage/record/portable", "placements"},
	// The configuration's and the assets' files.
	"cmd/mooring/yaml":       nil,
	"cmd/mooring/yaml/shape": {"cmd/mooring/yaml"},
	// Tests of their own, from outside the program.
	"cmd/mooring/attack":    {"refresh/signing", "storage/record", "placements", "checksum"},
	"cmd/mooring/histories": nil,
	"cmd/mooring/house":     {"placements"},
	"cmd/mooring/requests":  {"refresh/signing"},
	"cmd/mooring/soak":      {"refresh", "storage", "storage/record"},
	"cmd/mooring/waiting":   {"storage/record", "placements"},
	"cmd/mooring/zoo":       nil,
	// Runs the built program for tests.
	"cmd/mooring/programtest": nil,
	// And one of its parts, in one process.
	"cmd/mooring/simulation": {"web", "web/auth", "refresh", "refresh/source", "refresh/host", "storage", "storage/keys", "storage/record", "placements", "checksum"},
	"cmd/mooring/process": {
		"cmd/mooring/ascode", "cmd/mooring/config", "web", "web/docs", "web/hook", "web/metrics", "web/oidc",
		"refresh", "refresh/trace", "refresh/watch", "refresh/source", "refresh/source/sqlite", "refresh/source/files", "refresh/source/postgres", "refresh/source/mysql", "refresh/source/cube",
		"refresh/host", "refresh/host/xlsx", "refresh/host/google", "refresh/host/graph", "storage", "storage/record",
	},
	"cmd/mooring/code": {"cmd/mooring/process", "cmd/mooring/ascode", "web/client", "storage/record/portable", "placements"},
	"cmd/mooring/demo": {
		"cmd/mooring/process", "cmd/mooring/config", "web/auth", "web/client", "refresh", "refresh/source/sqlite", "refresh/host", "refresh/host/xlsx",
		"storage/record", "placements", "checksum",
	},
	"cmd/mooring": {
		"cmd/mooring/process", "cmd/mooring/code", "cmd/mooring/demo", "cmd/mooring/ascode", "cmd/mooring/config", "cmd/mooring/yaml/shape", "web", "web/auth", "web/client", "web/docs", "web/hook", "web/metrics", "web/oidc",
		"refresh", "refresh/signing", "refresh/trace", "refresh/source", "refresh/source/sqlite", "refresh/source/files", "refresh/source/postgres", "refresh/source/mysql", "refresh/source/cube",
		"refresh/host", "refresh/host/xlsx", "refresh/host/google", "refresh/host/graph", "refresh/host/rest",
		"storage", "storage/keep", "storage/work", "storage/backup", "storage/record", "placements", "checksum",
	},
}

// belowRooms lists what a room of the interface may import, none of which is another room.
var belowRooms = []string{
	"web/access", "web/auth", "web/bind", "web/bulk", "web/dashboard", "web/gate", "web/history", "web/hook", "web/members", "web/metrics", "web/oidc", "web/request",
	"web/sheet", "web/wire", "refresh", "refresh/host", "storage", "storage/journal", "storage/list", "storage/queue", "storage/standing", "storage/tenants",
	"storage/record", "storage/record/portable", "placements", "checksum",
}

// suites lists the packages that exist for tests, and whose tests may import each.
var suites = map[string][]string{
	"storage/record/lifecycle/lifecycletest": {"refresh"},
	"placements/placementstest":              {"placements", "storage", "web"},
	"storage/storagetest":                    {"storage", "storage/redis", "refresh", "refresh/notify", "refresh/marks", "refresh/cells", "web", "cmd/mooring", "cmd/mooring/attack", "cmd/mooring/waiting", "cmd/mooring/histories", "cmd/mooring/requests", "cmd/mooring/soak"},
	"cmd/mooring/programtest":                {"cmd/mooring", "cmd/mooring/attack", "cmd/mooring/waiting", "cmd/mooring/histories", "cmd/mooring/requests", "cmd/mooring/soak"},
	"storage/record/recordtest":              {"storage/record", "storage", "web", "web/webtest", "cmd/mooring", "cmd/mooring/attack"},
	"web/webtest":                            {"web", "cmd/mooring", "cmd/mooring/attack", "cmd/mooring/requests"},
	"refresh/source/sourcetest":              {"refresh/source/sqlite", "refresh/source/files", "refresh/source/postgres", "refresh/source/mysql", "refresh/source/cube", "refresh/cells", "cmd/mooring", "cmd/mooring/attack", "cmd/mooring/waiting"},
	"refresh/host/hosttest":                  {"refresh/host/xlsx", "refresh/host/xlsx/archive", "refresh/host/google", "refresh/host/graph", "refresh", "refresh/marks", "refresh/cells", "cmd/mooring"},

	"web/oidc/oidcfake":              {"web/oidc", "web", "cmd/mooring"},
	"refresh/host/google/googlefake": {"refresh/host/google", "refresh", "refresh/marks", "refresh/cells", "cmd/mooring"},
	"refresh/host/graph/graphfake":   {"refresh/host/graph", "refresh", "refresh/marks", "refresh/cells", "cmd/mooring"},
}

// realDrivers lists the packages whose tests run a driver, of which their code knows only the contract.
var realDrivers = map[string][]string{
	"refresh/host/xlsx":       {"refresh", "refresh/document", "refresh/site", "refresh/marks", "refresh/cells", "web", "cmd/mooring/config"},
	"refresh/host/google":     {"refresh", "refresh/marks", "refresh/cells", "cmd/mooring/config"},
	"refresh/host/graph":      {"refresh", "refresh/marks", "refresh/cells"},
	"refresh/source/sqlite":   {"refresh", "refresh/result", "refresh/cells", "web", "cmd/mooring/config"},
	"refresh/source/files":    {"refresh/cells"},
	"refresh/source/mysql":    {"refresh/cells"},
	"refresh/source/postgres": {"refresh/cells", "cmd/mooring/config"},
	"refresh/source/cube":     {"refresh", "refresh/result", "refresh/cells", "cmd/mooring/config"},
}

// technologies lists for every module from outside the one place where code may import it. Tests may use any of
// them: they look at what the code did from another side.
var technologies = map[string][]string{
	"github.com/gin-gonic/gin":            {"web/request"},
	"github.com/golang-jwt/jwt/v5":        {"web/auth"},
	"github.com/go-json-experiment/json":  {"web/bind", "web/sheet", "refresh/source/files"},
	"github.com/oapi-codegen/nullable":    {"web/client"},
	"github.com/oapi-codegen/runtime":     {"web/client"},
	"github.com/prometheus/client_golang": {"web/metrics"},
	"github.com/prometheus/client_model":  {"web/metrics"},
	"github.com/prometheus/common":        nil,
	"github.com/redis/go-redis/v9":        {"storage/redis", "storage/storagetest"},
	"github.com/alicebob/miniredis/v2":    {"storage/redis"},
	"github.com/robfig/cron/v3":           {"refresh/cron"},
	"github.com/jackc/pgx/v5":             {"refresh/source/postgres", "refresh/source/sourcetest"},
	"github.com/go-sql-driver/mysql":      {"refresh/source/mysql", "refresh/source/sourcetest"},
	"modernc.org/sqlite":                  {"refresh/source/sqlite"},
	"github.com/parquet-go/parquet-go":    {"refresh/source/files"},
	"modernc.org/libc":                    {"refresh/source/sqlite"},
	"github.com/xuri/excelize/v2":         {"refresh/host/xlsx", "refresh/host/xlsx/archive", "refresh/host/hosttest"},
	"github.com/xuri/efp":                 {"refresh/host/formula"},
	"github.com/coreos/go-oidc/v3":        {"web/oidc"},
	"github.com/go-jose/go-jose/v4":       {"web/oidc"},
	"golang.org/x/oauth2":                 {"web/oidc", "refresh/host/rest", "refresh/host/google", "refresh/host/graph"},
	"golang.org/x/term":                   {"cmd/mooring/process"},
	"golang.org/x/text":                   {"refresh/host/xlsx/xml", "refresh/host/xlsx"},
	"github.com/alecthomas/kong":          {"cmd/mooring"},
	"github.com/goccy/go-yaml":            {"cmd/mooring/yaml"},
	"github.com/aymanbagabas/go-udiff":    {"cmd/mooring/ascode"},
	"github.com/swaggest/swgui":           {"web/docs"},
	"github.com/yuin/goldmark":            {"web/docs"},
	"github.com/zeebo/xxh3":               {"checksum"},
	"github.com/google/uuid":              {"placements"},
	"github.com/google/go-cmp":            {"refresh/source/sourcetest", "refresh/host/hosttest"},
	"github.com/tdewolff/minify/v2":       {"web/face"},
	"github.com/andybalholm/brotli":       {"web/face"},
	"go.opentelemetry.io/otel":            {"refresh/trace"},
	"go.opentelemetry.io/proto/otlp":      nil,
	"google.golang.org/protobuf":          nil,
	"github.com/chromedp/chromedp":        nil,
	"github.com/chromedp/cdproto":         nil,
	"github.com/getkin/kin-openapi":       {"web/webtest"},
	"go.uber.org/goleak":                  nil,
	"pgregory.net/rapid":                  nil,
	"github.com/anishathalye/porcupine":   nil,
	"golang.org/x/tools":                  nil,

	"github.com/santhosh-tekuri/jsonschema/v6": nil,
}

// sourceFile is a Go file of the module: its package's directory and what it imports.
type sourceFile struct {
	Name    string
	Package string
	Test    bool
	Imports []string
}

// room is the entry of the tables that a package counts to: what stands below a suite is part of it.
func room(pkg string) string {
	for suite := range suites {
		if strings.HasPrefix(pkg, suite+"/") {
			return suite
		}
	}
	return pkg
}

// fault says what is wrong with one import of f, or nothing.
func (f sourceFile) fault(imported string) string {
	inside, ours := strings.CutPrefix(imported, "mooring/")
	inside, from := room(inside), room(f.Package)
	switch {
	case ours && inside == from:
		return "" // an external test of its own package, or a part of the same suite
	case ours && f.Test && (slices.Contains(suites[inside], from) || slices.Contains(realDrivers[inside], from)):
		return ""
	case ours && !slices.Contains(below[from], inside):
		return "is not below " + from
	case ours, standard(imported):
		return ""
	}
	for module, places := range technologies {
		if imported != module && !strings.HasPrefix(imported, module+"/") {
			continue
		}
		if f.Test || slices.Contains(places, from) {
			return ""
		}
		return "belongs in " + strings.Join(append(places, "tests"), ", ")
	}
	return "is a technology that no package is named for"
}

// standard reports whether a package is of the standard library: its first element has no dot.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

func TestImportGraph(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range sourceFiles(t) {
		if _, known := below[room(f.Package)]; !known {
			t.Errorf("%s: package %s has no place in the house", f.Name, f.Package)
		}
		seen[f.Package] = true
		for _, imported := range f.Imports {
			if fault := f.fault(imported); fault != "" {
				t.Errorf("%s imports %s, which %s", f.Name, imported, fault)
			}
		}
	}
	if !seen["cmd/mooring"] || !seen["checksum"] {
		t.Fatalf("the walk missed packages: %v", seen)
	}
}

func TestImportFault(t *testing.T) {
	tests := []struct {
		name, from string
		test       bool
		imported   string
		allowed    bool
	}{
		{name: "web may import storage below it", from: "web", imported: "mooring/storage", allowed: true},
		{name: "storage may not import web above it", from: "storage", imported: "mooring/web"},
		{name: "a test keeps to the graph as well", from: "storage", test: true, imported: "mooring/refresh"},
		{name: "source and host are siblings", from: "refresh/source", imported: "mooring/refresh/host"},
		{
			name: "a host's own tests run its suite", from: "refresh/host/xlsx", test: true, imported: "mooring/refresh/host/hosttest",
			allowed: true,
		},
		{name: "code does not import a suite", from: "refresh/host", imported: "mooring/refresh/host/hosttest"},
		{name: "an external test imports its package", from: "web", test: true, imported: "mooring/web", allowed: true},
		{name: "Redis is that package's", from: "storage/redis", imported: "github.com/redis/go-redis/v9", allowed: true},
		{name: "Redis is nobody else's", from: "web", imported: "github.com/redis/go-redis/v9"},
		{name: "a sub-package counts as its module", from: "cmd/mooring/yaml", imported: "github.com/goccy/go-yaml/ast", allowed: true},
		{name: "a longer name is another module", from: "web", imported: "github.com/gin-gonic/gingham"},
		{
			name: "a test may look with a spreadsheet library", from: "cmd/mooring", test: true, imported: "github.com/xuri/excelize/v2",
			allowed: true,
		},
		{name: "the command may not", from: "cmd/mooring", imported: "github.com/xuri/excelize/v2"},
		{name: "the standard library is free", from: "checksum", imported: "crypto/sha256", allowed: true},
		{name: "an unlisted module is refused", from: "web", imported: "example.com/left/pad"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceFile{Package: tt.from, Test: tt.test}
			if got := f.fault(tt.imported); (got == "") != tt.allowed {
				t.Errorf("%s imports %s: fault %q, allowed %v", tt.from, tt.imported, got, tt.allowed)
			}
		})
	}
}

func TestTopLevelEntries(t *testing.T) {
	want := []string{"README.md", "checksum", "cmd", "go.mod", "go.sum", "placements", "refresh", "scripts", "storage", "web"}
	got := slices.DeleteFunc(topLevel(t), func(name string) bool { return strings.HasPrefix(name, ".") })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("top-level entries (-want +got):\n%s", diff)
	}
}

// topLevel lists what stands at the top of the module and is not ignored by git, sorted.
func topLevel(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil { // not a checkout: an unpacked archive has nothing else in it
		entries, err := os.ReadDir(root)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	var names []string
	for _, line := range strings.Fields(string(out)) {
		first, _, _ := strings.Cut(line, "/")
		names = append(names, first)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// otherModule reports whether a directory is a module of its own, such as a benchmark's of something that the product does not depend on.
func otherModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// sourceFiles parses the imports of every Go file of the module.
func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules" || otherModule(name)):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f := sourceFile{Name: rel, Package: filepath.ToSlash(filepath.Dir(rel)), Test: strings.HasSuffix(name, "_test.go")}
		tree, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range tree.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.Imports = append(f.Imports, imported)
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
