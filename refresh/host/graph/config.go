package graph

import (
	"context"
	"errors"
	"fmt"

	"mooring/refresh/host"
	"mooring/refresh/secret"
)

// Config is the configuration of a Microsoft 365 application and the drive whose workbooks it edits.
type Config struct {
	TenantID          string      `yaml:"tenantId"` // the directory that knows the application
	ClientID          string      `yaml:"clientId"` // the application
	ClientSecret      secret.Text `yaml:"clientSecret"`
	Drive             string      `yaml:"drive"`             // id of the drive that holds the workbooks
	Endpoint          string      `yaml:"endpoint"`          // another address of the API
	TokenEndpoint     string      `yaml:"tokenEndpoint"`     // another address to log in at
	RequestsPerMinute int         `yaml:"requestsPerMinute"` // the application's quota; 0: the service's own
}

var _ host.Config = (*Config)(nil)

// Paths returns nothing: the configuration holds no path.
func (c *Config) Paths() []*string { return nil }

// Open makes the application's host.
func (c *Config) Open(_ context.Context, limiter host.Limiter) (host.Host, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	g, err := New(Options{
		TenantID: c.TenantID, ClientID: c.ClientID, ClientSecret: string(c.ClientSecret), Drive: c.Drive,
		Endpoint: c.Endpoint, TokenEndpoint: c.TokenEndpoint, PerMinute: c.RequestsPerMinute, Limiter: limiter,
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

func (c *Config) check() error {
	var errs []error
	for _, key := range []struct{ name, value string }{
		{"tenantId", c.TenantID}, {"clientId", c.ClientID}, {"clientSecret", string(c.ClientSecret)}, {"drive", c.Drive},
	} {
		if key.value == "" {
			errs = append(errs, fmt.Errorf("%s: missing; kind graph needs it", key.name))
		}
	}
	if c.RequestsPerMinute < 0 {
		errs = append(errs, errors.New("requestsPerMinute: must not be negative"))
	}
	return errors.Join(errs...)
}
