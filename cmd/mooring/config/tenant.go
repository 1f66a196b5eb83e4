package config

import (
	"maps"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh/notify"
	"mooring/storage/record"
	"mooring/web"
)

// TenantEntry is one customer: host names that stand for it, deployments by number, spreadsheet hosts.
type TenantEntry struct {
	Hosts        []string                  `yaml:"hosts"`
	Deployments  map[int64]DeploymentEntry `yaml:"deployments"`
	Spreadsheets HostEntries               `yaml:"spreadsheets"`
}

// DeploymentEntry is where the reports of one deployment get their results, and the wall time of its dates.
type DeploymentEntry struct {
	Timezone string         `yaml:"timezone"`
	Source   *SourceEntry   `yaml:"source"` // nil: none
	Webhooks []WebhookEntry `yaml:"webhooks"`

	Location   *time.Location   `yaml:"-"` // of Timezone, UTC without one
	Recipients []notify.Webhook `yaml:"-"` // of Webhooks
}

// WebhookEntry is an address that is told when runs fail permanently and when they succeed again.
type WebhookEntry struct {
	URL    string `yaml:"url"`
	Secret string `yaml:"secret"` // signs what is sent; at least 24 bytes, plain or whsec_ and base64
}

// Documents returns the spreadsheet hosts of each deployment, and where its reports may be placed.
func (cfg *Config) Documents() map[record.Deployment]placements.Documents {
	bounds := map[record.Deployment]placements.Documents{}
	for name, t := range cfg.Tenants {
		for id := range t.Deployments {
			of := placements.Documents{}
			for _, s := range t.Spreadsheets {
				one := placements.Spreadsheets{Name: s.Name, Kind: s.Holds}
				if s.Documents != nil {
					one.Documents = append([]string{}, s.Documents[id]...)
				}
				of = append(of, one)
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
