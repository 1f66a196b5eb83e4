package main

import (
	"context"
	"fmt"
	"strings"

	"mooring/refresh/host"
	"mooring/refresh/source"
)

// kind is a kind of source or host: its name in the file, and what makes the configuration that its entries fill.
type kind[C any] struct {
	Name string
	New  func() C
}

// kinds are all that a configuration may name, in the order in which errors list them.
type kinds struct {
	Sources []kind[source.Config]
	Hosts   []kind[host.Config]
}

// configOf returns a new configuration of a kind, or C's zero value when the kind is unknown.
func configOf[C any](known []kind[C], name string) (config C) {
	for _, k := range known {
		if k.Name == name {
			return k.New()
		}
	}
	return config
}

// unknownKind is the error of an entry whose kind is not known.
func unknownKind[C any](known []kind[C], name string) error {
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

// database is the source of a deployment. Its zero value is none.
type database struct {
	Kind   string        `yaml:"kind"`
	Config source.Config `yaml:"-"` // the kind's own keys; nil when the kind is unknown
}

// spreadsheets is one host, and in which of its documents each deployment may place reports: patterns of their ids, see
// placements.Documents. Without any it is all; a deployment that is missing among them has none.
type spreadsheets struct {
	Kind      string             `yaml:"kind"`
	Documents map[int64][]string `yaml:"documents"`
	Config    host.Config        `yaml:"-"` // the kind's own keys; nil when the kind is unknown
}

// kindsKey finds the kinds in the context of a decoder.
type kindsKey struct{}

func kindsIn(ctx context.Context) kinds {
	known, _ := ctx.Value(kindsKey{}).(kinds)
	return known
}

// UnmarshalYAML fills the entry's own keys, then those of its kind from the same node.
func (d *database) UnmarshalYAML(ctx context.Context, unmarshal func(any) error) error {
	type own database
	if err := unmarshal((*own)(d)); err != nil {
		return err
	}
	if d.Config = configOf(kindsIn(ctx).Sources, d.Kind); d.Config == nil {
		return nil
	}
	return unmarshal(d.Config)
}

// UnmarshalYAML fills the entry's own keys, then those of its kind from the same node.
func (s *spreadsheets) UnmarshalYAML(ctx context.Context, unmarshal func(any) error) error {
	type own spreadsheets
	if err := unmarshal((*own)(s)); err != nil {
		return err
	}
	if s.Config = configOf(kindsIn(ctx).Hosts, s.Kind); s.Config == nil {
		return nil
	}
	return unmarshal(s.Config)
}
