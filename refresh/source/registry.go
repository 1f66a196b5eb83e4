package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Config is one `source:` of the configuration file. Kind decides which of the other keys may be set.
type Config struct {
	Kind             string        `yaml:"kind"`                       // sqlite, postgres or cube
	Path             string        `yaml:"path,omitempty"`             // sqlite: the database file
	URL              Secret        `yaml:"url,omitempty"`              // postgres: postgres://…, cube: the REST base, https://…/cubejs-api
	Token            Secret        `yaml:"token,omitempty"`            // cube: the API token
	StatementTimeout time.Duration `yaml:"statementTimeout,omitempty"` // longest run of one query; 0: DefaultStatementTimeout, cube: DefaultCubeTimeout
	MaxRows          int           `yaml:"maxRows,omitempty"`          // caps a query's rows below the header; 0: DefaultMaxRows
	MaxCells         int           `yaml:"maxCells,omitempty"`         // caps a query's cells; 0: DefaultMaxCells
	MaxBytes         Size          `yaml:"maxBytes,omitempty"`         // caps a query's result, encoded; 0: DefaultMaxBytes
	MaxConnections   int           `yaml:"maxConnections,omitempty"`   // queries at one time; 0: DefaultMaxConnections
	RowSecurity      bool          `yaml:"rowSecurity,omitempty"`      // postgres: say on whose behalf a query runs (mooring.tenant, …)
	WireOnly         bool          `yaml:"wireOnly,omitempty"`         // postgres: the server knows no transactions and no settings
	RowLimit         int           `yaml:"rowLimit,omitempty"`         // cube: its CUBEJS_DB_QUERY_LIMIT; 0: DefaultRowLimit
}

// The settings of a source that sets none.
const (
	DefaultStatementTimeout = time.Minute
	DefaultCubeTimeout      = 10 * time.Minute // cube's DefaultStatementTimeout: it may have to build pre-aggregations first
	DefaultMaxConnections   = 4
	DefaultRowLimit         = 50_000
)

// Secret is a string that logs, errors and dumps of the configuration show as ***.
type Secret string

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "***"
}

// GoString keeps %#v from showing what String hides.
func (s Secret) GoString() string { return s.String() }

// MarshalText does the same for YAML and JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// kind is a row of the table of kinds: the configuration keys it needs and knows, and how to open one.
type kind struct {
	name string
	need []string
	know []string
	open func(context.Context, Config) (Source, error)
	// statementTimeout is what the kind takes for a query's longest run, when the configuration does not say.
	statementTimeout time.Duration
}

func kinds() []kind {
	return []kind{
		{name: "sqlite", need: []string{"path"}, open: openSQLite, statementTimeout: DefaultStatementTimeout},
		{name: "postgres", need: []string{"url"}, know: []string{"rowSecurity", "wireOnly"}, open: openPostgres, statementTimeout: DefaultStatementTimeout},
		{name: "cube", need: []string{"url"}, know: []string{"token", "rowLimit"}, open: openCube, statementTimeout: DefaultCubeTimeout},
	}
}

// Open makes the source that c describes. It does not wait for a database: Check does. Its errors name the key at fault and
// never hold a secret.
func Open(ctx context.Context, c Config) (Source, error) {
	for _, k := range kinds() {
		if k.name != c.Kind {
			continue
		}
		if err := k.validate(c); err != nil {
			return nil, err
		}
		return k.open(ctx, c.withDefaults(k))
	}
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	if c.Kind == "" {
		return nil, fmt.Errorf("kind: missing; it is one of %s", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("kind: %q is unknown; it is one of %s", c.Kind, strings.Join(names, ", "))
}

// validate reports every key that is missing, negative, or means nothing to the kind.
func (k kind) validate(c Config) error {
	var errs []error
	for _, key := range []struct {
		name string
		set  bool
	}{
		{"path", c.Path != ""},
		{"url", c.URL != ""},
		{"token", c.Token != ""},
		{"rowSecurity", c.RowSecurity},
		{"wireOnly", c.WireOnly},
		{"rowLimit", c.RowLimit != 0},
	} {
		needed := slices.Contains(k.need, key.name)
		switch {
		case needed && !key.set:
			errs = append(errs, fmt.Errorf("%s: missing; kind %s needs it", key.name, k.name))
		case key.set && !needed && !slices.Contains(k.know, key.name):
			errs = append(errs, fmt.Errorf("%s: means nothing to kind %s", key.name, k.name))
		}
	}
	for _, key := range []struct {
		name  string
		value int64
	}{
		{"statementTimeout", int64(c.StatementTimeout)},
		{"maxRows", int64(c.MaxRows)},
		{"maxCells", int64(c.MaxCells)},
		{"maxBytes", int64(c.MaxBytes)},
		{"maxConnections", int64(c.MaxConnections)},
		{"rowLimit", int64(c.RowLimit)},
	} {
		if key.value < 0 {
			errs = append(errs, fmt.Errorf("%s: must not be negative", key.name))
		}
	}
	return errors.Join(errs...)
}

func (c Config) withDefaults(k kind) Config {
	c.StatementTimeout = orDefault(c.StatementTimeout, k.statementTimeout)
	c.MaxRows = orDefault(c.MaxRows, DefaultMaxRows)
	c.MaxCells = orDefault(c.MaxCells, DefaultMaxCells)
	c.MaxBytes = orDefault(c.MaxBytes, DefaultMaxBytes)
	c.MaxConnections = orDefault(c.MaxConnections, DefaultMaxConnections)
	c.RowLimit = orDefault(c.RowLimit, DefaultRowLimit)
	return c
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}
