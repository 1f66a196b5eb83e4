package google

import (
	"context"
	"errors"
	"fmt"
	"os"

	"mooring/refresh/host"
)

// Config is the configuration of a Google account.
type Config struct {
	CredentialsFile   string `yaml:"credentialsFile"`   // a service account's or an authorized user's JSON
	Endpoint          string `yaml:"endpoint"`          // another address of the API
	RequestsPerMinute int    `yaml:"requestsPerMinute"` // a user's quota; 0: the service's own
	ProjectPerMinute  int    `yaml:"projectPerMinute"`  // the project's quota; 0: the service's own
}

var _ host.Config = (*Config)(nil)

// Paths returns the credentials file's path.
func (c *Config) Paths() []*string { return []*string{&c.CredentialsFile} }

// Open reads the credentials and makes the account's host.
func (c *Config) Open(_ context.Context, limiter host.Limiter) (host.Driver, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	credentials, err := os.ReadFile(c.CredentialsFile)
	if err != nil {
		return nil, fmt.Errorf("credentialsFile: %w", err)
	}
	g, err := New(Settings{
		Credentials: credentials, Endpoint: c.Endpoint, PerUser: c.RequestsPerMinute, PerProject: c.ProjectPerMinute, Limiter: limiter,
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

func (c *Config) check() error {
	var errs []error
	if c.CredentialsFile == "" {
		errs = append(errs, errors.New("credentialsFile: missing; kind google needs it"))
	}
	if c.RequestsPerMinute < 0 {
		errs = append(errs, errors.New("requestsPerMinute: must not be negative"))
	}
	if c.ProjectPerMinute < 0 {
		errs = append(errs, errors.New("projectPerMinute: must not be negative"))
	}
	return errors.Join(errs...)
}
