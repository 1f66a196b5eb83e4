package cube

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mooring/refresh/secret"
	"mooring/refresh/source"
)

// Config is the configuration of a Cube semantic layer.
type Config struct {
	source.Limits `yaml:",inline"`
	URL           secret.Text `yaml:"url"`      // the REST base, https://…/cubejs-api
	Token         secret.Text `yaml:"token"`    // the API token
	RowLimit      int         `yaml:"rowLimit"` // its CUBEJS_DB_QUERY_LIMIT; 0: DefaultCubeRowLimit
}

var _ source.Config = (*Config)(nil)

// The settings of a Cube that sets none.
const (
	DefaultCubeTimeout  = 10 * time.Minute // it may have to build pre-aggregations first
	DefaultCubeRowLimit = 50_000
)

// Paths returns nothing: the configuration holds no path.
func (c *Config) Paths() []*string { return nil }

// Open makes the source.
func (c *Config) Open(context.Context) (source.Source, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	u, err := url.Parse(string(c.URL))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.User != nil {
		// The parser's own message repeats the URL.
		return nil, errors.New("url: is no base of a Cube REST API; write https://host/cubejs-api, and the token under token")
	}
	own := *c
	own.Limits, own.RowLimit = c.WithDefaults(DefaultCubeTimeout), cmp.Or(c.RowLimit, DefaultCubeRowLimit)
	return &layer{
		config: own,
		base:   strings.TrimRight(u.String(), "/"),
		client: &http.Client{
			Transport: &http.Transport{
				Proxy:               http.ProxyFromEnvironment,
				TLSHandshakeTimeout: 10 * time.Second,
				ForceAttemptHTTP2:   true,
				MaxIdleConnsPerHost: own.MaxConnections,
				IdleConnTimeout:     time.Minute,
			},
			// A POST that is redirected would come out as a GET.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		slots:       make(source.Slots, own.MaxConnections),
		loadTimeout: loadTimeout,
	}, nil
}

func (c *Config) check() error {
	var missing, negative error
	if c.URL == "" {
		missing = errors.New("url: missing; kind cube needs it")
	}
	if c.RowLimit < 0 {
		negative = errors.New("rowLimit: must not be negative")
	}
	return errors.Join(missing, c.Limits.Check(), negative)
}
