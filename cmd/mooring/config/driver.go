package config

import (
	"context"
	"fmt"
	"strings"

	"mooring/refresh/host"
	"mooring/refresh/source"
)

// Drivers are the kinds that a configuration may name.
type Drivers struct {
	Sources Kinds[source.Config]
	Hosts   Kinds[host.Config]
}

// Kinds are the kinds of sources, or of hosts, in the order in which errors list them.
type Kinds[C any] []Kind[C]

// Kind is a kind of source or host: its name in the file, and a function that returns the empty configuration of an entry.
type Kind[C any] struct {
	Name string
	New  func() C
}

// empty returns a new configuration of a kind, or C's zero value when the kind is unknown.
func (known Kinds[C]) empty(name string) (config C) {
	for _, k := range known {
		if k.Name == name {
			return k.New()
		}
	}
	return config
}

// Unknown returns the error of an entry whose kind is not known.
func (known Kinds[C]) Unknown(name string) error {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = k.Name
	}
	list := strings.Join(names, ", ")
	if name == "" {
		return fmt.Errorf("kind: missing; it is one of %s", list)
	}
	return fmt.Errorf("kind: %q is unknown; it is one of %s", name, list)
}

// Source is the source of a deployment.
type Source struct {
	Kind      string        `yaml:"kind"`
	Freshness []Freshness   `yaml:"freshness"`
	Config    source.Config `yaml:"-"` // the kind's own keys; nil when the kind is unknown
}

// Spreadsheets is one host, and in which of its documents each deployment may place reports: patterns of their ids, see
// placements.Documents. Without any it is all; a deployment that is missing among them has none.
type Spreadsheets struct {
	Kind      string             `yaml:"kind"`
	Documents map[int64][]string `yaml:"documents"`
	Config    host.Config        `yaml:"-"` // the kind's own keys; nil when the kind is unknown
}

// driversKey finds the drivers in the context of a decoder.
type driversKey struct{}

func driversIn(ctx context.Context) Drivers {
	known, _ := ctx.Value(driversKey{}).(Drivers)
	return known
}

// UnmarshalYAML fills the entry's own keys, then those of its kind from the same node.
func (s *Source) UnmarshalYAML(ctx context.Context, unmarshal func(any) error) error {
	type own Source
	if err := unmarshal((*own)(s)); err != nil {
		return err
	}
	if s.Config = driversIn(ctx).Sources.empty(s.Kind); s.Config == nil {
		return nil
	}
	return unmarshal(s.Config)
}

// UnmarshalYAML fills the entry's own keys, then those of its kind from the same node.
func (s *Spreadsheets) UnmarshalYAML(ctx context.Context, unmarshal func(any) error) error {
	type own Spreadsheets
	if err := unmarshal((*own)(s)); err != nil {
		return err
	}
	if s.Config = driversIn(ctx).Hosts.empty(s.Kind); s.Config == nil {
		return nil
	}
	return unmarshal(s.Config)
}
