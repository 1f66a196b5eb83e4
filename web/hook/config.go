package hook

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"mooring/refresh/signing"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// Sender is by whose rules the requests to a hook are signed and read.
type Sender string

// The kinds of hooks. One that names none is Standard.
const (
	Standard Sender = "standard"
	DBT      Sender = "dbt"
	Fivetran Sender = "fivetran"
)

// Config is a hook as the configuration has it.
type Config struct {
	ID             string `yaml:"id"` // in its path
	Tenant         string `yaml:"tenant"`
	Deployment     int64  `yaml:"deployment"`
	Schedule       string `yaml:"schedule"` // the key of the schedule to run
	Secret         string `yaml:"secret"`
	PreviousSecret string `yaml:"previousSecret"` // which is good too, while the sender changes to Secret; empty: none
	Kind           Sender `yaml:"kind"`
}

// idShape is a text that stands in a path as it is.
var idShape = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$`)

// Check reports what cannot work, a line a fault, each beginning with the key. It does not hold the secrets.
func (c Config) Check() error {
	_, err := c.read()
	return err
}

// read returns the hook that c describes. The error is that of Check.
func (c Config) read() (Hook, error) {
	h := Hook{
		ID: c.ID, Kind: cmp.Or(c.Kind, Standard), Schedule: c.Schedule,
		Deployment: record.Deployment{Tenant: c.Tenant, ID: c.Deployment}, secrets: [2][]byte{unguessable(), unguessable()},
	}
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !idShape.MatchString(c.ID) {
		fault("id: expected letters, digits, -, _ and ., at most 64")
	}
	if !slices.Contains([]Sender{Standard, DBT, Fivetran}, h.Kind) {
		fault("kind: expected %s, %s or %s", Standard, DBT, Fivetran)
	}
	if wrong := portable.KeyFault(c.Schedule); wrong != "" {
		fault("schedule: expected the key of a schedule. %s", wrong)
	}
	var err error
	if h.secrets[0], err = h.Kind.secret(c.Secret); err != nil {
		fault("secret: %w", err)
	}
	if c.PreviousSecret != "" {
		if h.secrets[1], err = h.Kind.secret(c.PreviousSecret); err != nil {
			fault("previousSecret: %w", err)
		}
	}
	return h, errors.Join(faults...)
}

// secret reads a secret. That of dbt or Fivetran is the text that they have, whatever it begins with.
func (k Sender) secret(text string) ([]byte, error) {
	if k == Standard {
		return signing.Secret(text)
	}
	return signing.Plain(text)
}

// unguessable is a secret that nothing is signed with.
func unguessable() []byte {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	return secret
}
