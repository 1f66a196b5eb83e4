package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Config is one spreadsheet host of the configuration file. Kind decides which of the other keys may be set.
type Config struct {
	Kind              string `yaml:"kind"`                        // xlsx, google or graph
	Dir               string `yaml:"dir,omitempty"`               // xlsx: the folder of the files
	CredentialsFile   string `yaml:"credentialsFile,omitempty"`   // google: a service account's or an authorized user's JSON
	TenantID          string `yaml:"tenantId,omitempty"`          // graph: the directory that knows the application
	ClientID          string `yaml:"clientId,omitempty"`          // graph: the application
	ClientSecret      Secret `yaml:"clientSecret,omitempty"`      // graph: its secret
	Drive             string `yaml:"drive,omitempty"`             // graph: id of the drive that holds the workbooks
	Endpoint          string `yaml:"endpoint,omitempty"`          // google, graph: another address of the API
	TokenEndpoint     string `yaml:"tokenEndpoint,omitempty"`     // graph: another address to log in at
	RequestsPerMinute int    `yaml:"requestsPerMinute,omitempty"` // google: a user's quota, graph: the application's; 0: the service's own
	ProjectPerMinute  int    `yaml:"projectPerMinute,omitempty"`  // google: the project's quota; 0: the service's own

	Limiter Limiter `yaml:"-"` // shares quotas out; nil: Buckets of this process alone
}

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
	open func(context.Context, Config) (Host, error)
}

func kinds() []kind {
	return []kind{
		{name: "xlsx", need: []string{"dir"}, open: openXLSXHost},
		{
			name: "google", need: []string{"credentialsFile"},
			know: []string{"endpoint", "requestsPerMinute", "projectPerMinute"}, open: openGoogleHost,
		},
		{
			name: "graph", need: []string{"tenantId", "clientId", "clientSecret", "drive"},
			know: []string{"endpoint", "tokenEndpoint", "requestsPerMinute"}, open: openGraphHost,
		},
	}
}

func openXLSXHost(_ context.Context, c Config) (Host, error) { return NewXLSX(c.Dir) }

// Open makes the host that c describes. It sends nothing to a service: Check does. Its errors name the key at fault and never
// hold a secret.
func Open(ctx context.Context, c Config) (Host, error) {
	var names []string
	for _, k := range kinds() {
		if k.name != c.Kind {
			names = append(names, k.name)
			continue
		}
		if err := k.validate(c); err != nil {
			return nil, err
		}
		return k.open(ctx, c)
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
		{"dir", c.Dir != ""},
		{"credentialsFile", c.CredentialsFile != ""},
		{"tenantId", c.TenantID != ""},
		{"clientId", c.ClientID != ""},
		{"clientSecret", c.ClientSecret != ""},
		{"drive", c.Drive != ""},
		{"endpoint", c.Endpoint != ""},
		{"tokenEndpoint", c.TokenEndpoint != ""},
		{"requestsPerMinute", c.RequestsPerMinute != 0},
		{"projectPerMinute", c.ProjectPerMinute != 0},
	} {
		needed := slices.Contains(k.need, key.name)
		switch {
		case needed && !key.set:
			errs = append(errs, fmt.Errorf("%s: missing; kind %s needs it", key.name, k.name))
		case key.set && !needed && !slices.Contains(k.know, key.name):
			errs = append(errs, fmt.Errorf("%s: means nothing to kind %s", key.name, k.name))
		}
	}
	if c.RequestsPerMinute < 0 {
		errs = append(errs, errors.New("requestsPerMinute: must not be negative"))
	}
	if c.ProjectPerMinute < 0 {
		errs = append(errs, errors.New("projectPerMinute: must not be negative"))
	}
	return errors.Join(errs...)
}
