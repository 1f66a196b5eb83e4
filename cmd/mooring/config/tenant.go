package config

import (
	"maps"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/record"
	"mooring/web"
)

// Tenant is one customer: host names that stand for it, deployments by number, spreadsheets by host value.
type Tenant struct {
	Hosts        []string                         `yaml:"hosts"`
	Deployments  map[int64]Deployment             `yaml:"deployments"`
	Spreadsheets map[placements.Host]Spreadsheets `yaml:"spreadsheets"`
}

// Deployment is where the reports of one deployment get their results, and the wall time of its dates.
type Deployment struct {
	Timezone string    `yaml:"timezone"`
	Source   *Source   `yaml:"source"` // nil: none
	Webhooks []Webhook `yaml:"webhooks"`

	Location   *time.Location    `yaml:"-"` // of Timezone, UTC without one
	Recipients []refresh.Webhook `yaml:"-"` // of Webhooks
}

// Webhook is an address that is told when runs fail permanently and when they succeed again.
type Webhook struct {
	URL    string `yaml:"url"`
	Secret string `yaml:"secret"` // signs what is sent; at least 24 bytes, plain or whsec_ and base64
}

// Documents returns where the reports of each deployment may be placed.
func (cfg *Config) Documents() map[record.Deployment]placements.Documents {
	bounds := map[record.Deployment]placements.Documents{}
	for name, t := range cfg.Tenants {
		for id := range t.Deployments {
			of := placements.Documents{}
			for kind, s := range t.Spreadsheets {
				if s.Documents != nil {
					of[kind] = s.Documents[id]
				}
			}
			bounds[record.Deployment{Tenant: name, ID: id}] = of
		}
	}
	return bounds
}

// Served returns the part of the configuration that the HTTP interface uses.
func (cfg *Config) Served() map[string]web.Tenant {
	served := map[string]web.Tenant{}
	for name, t := range cfg.Tenants {
		served[name] = web.Tenant{Hosts: t.Hosts, Deployments: slices.Sorted(maps.Keys(t.Deployments))}
	}
	return served
}
