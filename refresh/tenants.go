package refresh

import (
	"time"

	"mooring/placements"
	"mooring/refresh/notify"
	"mooring/refresh/result"
	"mooring/refresh/site"
	"mooring/refresh/source"
	"mooring/refresh/watch"
	"mooring/storage/record"
)

// Spreadsheets is a spreadsheet host of a tenant, by its name in the configuration; QuotaUse how much of a quota of its account is left.
type (
	Spreadsheets = site.Provider
	QuotaUse     = site.QuotaUse
)

// Tenant is where a tenant's results come from and go to.
type Tenant struct {
	Deployments map[int64]DeploymentSource
	Hosts       []Spreadsheets // names differ
}

// DeploymentSource is one deployment's source. Location is the wall time of its dates.
type DeploymentSource struct {
	Location *time.Location
	Source   source.Source
	MaxBytes source.Size // of a result of Source, encoded; 0: source.DefaultMaxBytes
	Queries  int         // that Source runs at one time; 0: source.DefaultMaxConnections
	Webhooks []notify.Webhook

	Freshness []watch.Freshness // of Source, which is a source.Prober
}

func (d DeploymentSource) origin() result.Origin {
	return result.Origin{Source: d.Source, Location: d.Location, MaxBytes: d.MaxBytes}
}

// tenants are what the configuration says of each tenant, by name.
type tenants map[string]Tenant

// origin is where the deployment's results come from.
func (t tenants) origin(d record.Deployment) (result.Origin, *placements.Fault) {
	dep, ok := t[d.Tenant].Deployments[d.ID]
	if !ok || dep.Source == nil {
		return result.Origin{}, &placements.Fault{
			Class:   placements.Permanent,
			Message: "this deployment has no source in the configuration: its reports can be placed by add-ins, but not refreshed here",
		}
	}
	return dep.origin(), nil
}

// personal reports whether the rows of a deployment's reports depend on who is shown them.
func (t tenants) personal(d record.Deployment) bool {
	from, none := t.origin(d)
	return none == nil && source.Personal(from.Source)
}

// timezone is that of a deployment; empty for UTC.
func (t tenants) timezone(d record.Deployment) string {
	if at := t[d.Tenant].Deployments[d.ID].Location; at != nil {
		return at.String()
	}
	return ""
}

// location is the time zone of a deployment; UTC if none is configured.
func (t tenants) location(d record.Deployment) *time.Location {
	if at := t[d.Tenant].Deployments[d.ID].Location; at != nil {
		return at
	}
	return time.UTC
}

// largest is how large a result may be that one of the deployments gives.
func (t tenants) largest() (whole source.Size) {
	for _, one := range t {
		for _, d := range one.Deployments {
			whole = max(whole, d.origin().Most())
		}
	}
	return whole
}
