package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mooring/cmd/mooring/yaml"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/source"
)

// Drivers are the kinds that a configuration may name.
type Drivers struct {
	Sources Kinds[source.Config]
	Hosts   Kinds[host.Config]
}

// Kinds are the kinds of sources, or of hosts, in the order in which errors list them.
type Kinds[C any] []KindEntry[C]

// KindEntry is a kind of source or host: its name in the file, and a function that returns the empty configuration of an entry.
type KindEntry[C any] struct {
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
	if word, near := yaml.Nearest(name, names); near {
		return fmt.Errorf("kind: %q is unknown; write %s if you mean that", name, word)
	}
	if of, isWord := placements.ParseHost(name); isWord {
		return fmt.Errorf("kind: %q is what its spreadsheets are; the kind of a host is one of %s: %s", name, list, hostKinds[of])
	}
	return fmt.Errorf("kind: %q is unknown; it is one of %s", name, list)
}

// hostKinds says which kinds of hosts have which spreadsheets.
var hostKinds = map[placements.Host]string{
	placements.SheetsA: "google",
	placements.SheetsB: "xlsx for a folder of files, graph for Microsoft 365",
}

// SourceEntry is the source of a deployment.
type SourceEntry struct {
	Kind      string           `yaml:"kind"`
	Freshness []FreshnessEntry `yaml:"freshness"`
	Config    source.Config    `yaml:"-"` // the kind's own keys; nil when the kind is unknown
}

// HostEntries are the spreadsheet hosts of a tenant: a list in the file, or a mapping of the kinds of spreadsheets to one host each, which is
// named after its key.
type HostEntries []HostEntry

// HostEntry is one host, and in which of its documents each deployment may place reports: patterns of their ids, see
// placements.Documents. Without any it is all; a deployment that is missing among them has none.
type HostEntry struct {
	Name      string             `yaml:"name"`
	Kind      string             `yaml:"kind"`
	Documents map[int64][]string `yaml:"documents"`
	Config    host.Config        `yaml:"-"` // the kind's own keys; nil when the kind is unknown

	Holds placements.Host `yaml:"-"` // the kind of its spreadsheets; empty when the file says none that there is
	named bool            // it has a name although its key is one
	At    any             `yaml:"-"` // its key or position among the tenant's spreadsheets
}

// holds is the kind of the spreadsheets of a kind of host.
func holds(kind string) placements.Host {
	if kind == "google" {
		return placements.SheetsA
	}
	return placements.SheetsB
}

// ofList returns the hosts of a list.
func ofList(list []HostEntry) HostEntries {
	for i := range list {
		list[i].Holds, list[i].At = holds(list[i].Kind), i
	}
	return list
}

// ofMapping returns the hosts of a mapping.
func ofMapping(entries map[string]HostEntry) (list HostEntries) {
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		s := entries[key]
		s.named, s.Name, s.At = s.Name != "", key, key
		s.Holds, _ = placements.ParseHost(key)
		list = append(list, s)
	}
	return list
}

// byName returns the hosts by their names.
func (h HostEntries) byName() map[string]HostEntry {
	list := map[string]HostEntry{}
	for _, s := range h {
		s.At = nil
		list[s.Name] = s
	}
	return list
}
