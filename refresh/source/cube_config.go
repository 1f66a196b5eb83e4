package source

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mooring/refresh/secret"
)

// CubeConfig is the configuration of a Cube semantic layer.
type CubeConfig struct {
	Limits   `yaml:",inline"`
	URL      secret.Text `yaml:"url"`      // the REST base, https://…/cubejs-api
	Token    secret.Text `yaml:"token"`    // the API token
	RowLimit int         `yaml:"rowLimit"` // its CUBEJS_DB_QUERY_LIMIT; 0: DefaultCubeRowLimit
}

var _ Config = (*CubeConfig)(nil)

// The settings of a Cube that sets none.
const (
	DefaultCubeTimeout  = 10 * time.Minute // it may have to build pre-aggregations first
	DefaultCubeRowLimit = 50_000
)

// Resolve does nothing: the configuration holds no path.
func (c *CubeConfig) Resolve(string) {}

// Open makes the source.
func (c *CubeConfig) Open(context.Context) (Source, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	u, err := url.Parse(string(c.URL))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.User != nil {
		// The parser's own message repeats the URL.
		return nil, errors.New("url: is no base of a Cube REST API; write https://host/cubejs-api, and the token under token")
	}
	own := *c
	own.Limits, own.RowLimit = c.withDefaults(DefaultCubeTimeout), cmp.Or(c.RowLimit, DefaultCubeRowLimit)
	return &cube{
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
		slots:       make(slots, own.MaxConnections),
		loadTimeout: loadTimeout,
	}, nil
}

func (c *CubeConfig) check() error {
	var missing, negative error
	if c.URL == "" {
		missing = errors.New("url: missing; kind cube needs it")
	}
	if c.RowLimit < 0 {
		negative = errors.New("rowLimit: must not be negative")
	}
	return errors.Join(missing, c.Limits.check(), negative)
}
