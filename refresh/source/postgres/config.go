package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"mooring/refresh/secret"
	"mooring/refresh/source"
)

// Config is the configuration of a PostgreSQL server, or of anything that speaks its wire protocol.
type Config struct {
	source.Limits `yaml:",inline"`
	URL           secret.Text `yaml:"url"`         // postgres://…
	RowSecurity   bool        `yaml:"rowSecurity"` // say on whose behalf a query runs (mooring.tenant, …)
	WireOnly      bool        `yaml:"wireOnly"`    // the server knows no transactions and no settings
}

var _ source.Config = (*Config)(nil)

// connectTimeout is how long a new connection may take when the URL does not say.
const connectTimeout = 10 * time.Second

// Paths returns nothing: the configuration holds no path.
func (c *Config) Paths() []*string { return nil }

// Open makes a pool of connections, none of them open.
func (c *Config) Open(context.Context) (source.Source, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	config, err := pgconn.ParseConfig(string(c.URL))
	if err != nil {
		// The parser's own message repeats the URL.
		return nil, errors.New("url: is no address of a PostgreSQL server; write postgres://user:password@host:5432/database")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	own := *c
	own.Limits = c.WithDefaults(source.DefaultStatementTimeout)
	config.MaxProtocolMessageBodyLen = source.LimitOf(source.Query{}, own.Limits).DriverBytes()
	if !c.WireOnly {
		config.RuntimeParams["client_encoding"] = "UTF8"
		config.RuntimeParams["application_name"] = "mooring"
	}
	return &server{config: own, pool: newPool(config, own.MaxConnections)}, nil
}

func (c *Config) check() error {
	var missing, clash error
	if c.URL == "" {
		missing = errors.New("url: missing; kind postgres needs it")
	}
	if c.WireOnly && c.RowSecurity {
		clash = errors.New("rowSecurity: needs a server with settings, which wireOnly rules out")
	}
	return errors.Join(missing, clash, c.Limits.Check())
}
