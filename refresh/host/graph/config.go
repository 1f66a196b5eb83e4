package graph

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"mooring/refresh/host"
	"mooring/refresh/secret"
)

// Config is the configuration of a Microsoft 365 application and the drives whose workbooks it edits.
type Config struct {
	TenantID          string      `yaml:"tenantId"` // the directory that knows the application
	ClientID          string      `yaml:"clientId"` // the application
	ClientSecret      secret.Text `yaml:"clientSecret"`
	Drive             string      `yaml:"drive"`             // short for one of drives
	Drives            []string    `yaml:"drives"`            // ids of drives
	Sites             []string    `yaml:"sites"`             // SharePoint sites, all of whose libraries count: their addresses
	Folders           []string    `yaml:"folders"`           // parts of the drives; none: all of them
	Endpoint          string      `yaml:"endpoint"`          // another address of the API
	TokenEndpoint     string      `yaml:"tokenEndpoint"`     // another address to log in at
	RequestsPerMinute int         `yaml:"requestsPerMinute"` // the application's quota; 0: the service's own
}

var _ host.Config = (*Config)(nil)

// Paths returns nothing: the configuration holds no path.
func (c *Config) Paths() []*string { return nil }

// Open makes the application's host.
func (c *Config) Open(_ context.Context, limiter host.Limiter) (host.Driver, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	g, err := New(Settings{
		TenantID: c.TenantID, ClientID: c.ClientID, ClientSecret: string(c.ClientSecret), Drives: c.drives(), Sites: c.Sites, Folders: c.Folders,
		Endpoint: c.Endpoint, TokenEndpoint: c.TokenEndpoint, PerMinute: c.RequestsPerMinute, Limiter: limiter,
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

func (c *Config) drives() []string {
	if c.Drive != "" {
		return []string{c.Drive}
	}
	return c.Drives
}

// maxPlaces bounds each of the lists of drives, sites and folders.
const maxPlaces = 50

func (c *Config) check() error {
	var errs []error
	for _, key := range []struct{ name, value string }{
		{"tenantId", c.TenantID}, {"clientId", c.ClientID}, {"clientSecret", string(c.ClientSecret)},
	} {
		if key.value == "" {
			errs = append(errs, fmt.Errorf("%s: missing; kind graph needs it", key.name))
		}
	}
	switch {
	case len(c.drives())+len(c.Sites) == 0:
		errs = append(errs, errors.New("sites: missing; kind graph needs sites or drives"))
	case c.Drive != "" && len(c.Drives) > 0:
		errs = append(errs, errors.New("drive: write it among drives, or leave drives out"))
	}
	errs = append(errs, checkPlaces("drives", c.Drives, checkDrive), checkPlaces("sites", c.Sites, checkSite), checkPlaces("folders", c.Folders, checkFolder))
	if c.RequestsPerMinute < 0 {
		errs = append(errs, errors.New("requestsPerMinute: must not be negative"))
	}
	return errors.Join(errs...)
}

// checkPlaces checks a list by the check of each entry.
func checkPlaces(key string, list []string, check func(string) error) error {
	if len(list) > maxPlaces {
		return fmt.Errorf("%s: at most %d; make another host of the others", key, maxPlaces)
	}
	var errs []error
	for _, one := range list {
		if err := check(one); err != nil {
			errs = append(errs, fmt.Errorf("%s: %q %w", key, one, err))
		}
	}
	return errors.Join(errs...)
}

func checkDrive(id string) error {
	if id == "" {
		return errors.New("is no id of a drive")
	}
	return nil
}

func checkSite(site string) error {
	u, err := url.Parse(site)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("is no address of a site: write it as https://contoso.sharepoint.com/sites/finance")
	}
	return nil
}

func checkFolder(folder string) error {
	if clean := path.Clean("/" + folder); folder == "" || strings.Contains(folder, "\\") || clean != "/"+strings.Trim(folder, "/") {
		return errors.New("is no path below a library: write it as Sales/2026, or as Documents/Sales/2026 where a site has several libraries")
	}
	return nil
}
