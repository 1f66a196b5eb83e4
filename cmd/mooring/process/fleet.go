package process

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"mooring/cmd/mooring/config"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/refresh/host/google"
	"mooring/refresh/host/graph"
	"mooring/refresh/host/xlsx"
	"mooring/refresh/source"
	"mooring/refresh/source/cube"
	"mooring/refresh/source/files"
	"mooring/refresh/source/mysql"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sqlite"
	"mooring/refresh/watch"
)

// Fleet is every source and spreadsheet host of a configuration, open.
type Fleet struct {
	Tenants map[string]refresh.Tenant
	limiter host.Limiter // one for all, since tenants may share an account
	closers []io.Closer
}

// OpenFleet opens what cfg names. It connects to nothing: whether a source answers is found by check, or by the first run. An
// error names everything that cannot be opened, with its line.
// The hosts share their accounts' quotas out through limiter.
func OpenFleet(ctx context.Context, cfg *config.Config, limiter host.Limiter) (*Fleet, error) {
	fl := &Fleet{Tenants: map[string]refresh.Tenant{}, limiter: limiter}
	for _, name := range slices.Sorted(maps.Keys(cfg.Tenants)) {
		fl.Tenants[name] = refresh.Tenant{
			Deployments: fl.deployments(ctx, cfg, name),
			Hosts:       fl.hosts(ctx, cfg, name),
		}
	}
	if err := cfg.Err(); err != nil {
		return nil, errors.Join(err, fl.Close())
	}
	return fl, nil
}

// deployments opens the sources of a tenant. A deployment without one keeps its reports for add-ins.
func (fl *Fleet) deployments(ctx context.Context, cfg *config.Config, tenant string) map[int64]refresh.DeploymentSource {
	open := map[int64]refresh.DeploymentSource{}
	for id, d := range cfg.Tenants[tenant].Deployments {
		dep := refresh.DeploymentSource{Location: d.Location, Webhooks: d.Recipients}
		open[id] = dep
		if d.Source == nil {
			continue
		}
		src, err := openSource(ctx, d.Source)
		if err != nil {
			cfg.Fault(err, "source", "tenants", tenant, "deployments", id, "source")
			continue
		}
		fl.closers = append(fl.closers, src)
		bounds := d.Source.Config.Bounds()
		dep.Source, dep.MaxBytes, dep.Queries = src, bounds.MaxBytes, bounds.MaxConnections
		dep.Freshness = probes(cfg, src, d.Source.Freshness, "tenants", tenant, "deployments", id, "source", "freshness")
		open[id] = dep
	}
	return open
}

// probes returns the probes of a source that it can do; those that it cannot are faults of what stands at a path.
func probes(cfg *config.Config, src source.Source, list []config.FreshnessEntry, path ...any) (able []watch.Freshness) {
	prober, ok := src.(source.Prober)
	if !ok && len(list) > 0 {
		cfg.Fault(errors.New("this kind of source cannot be probed"), "freshness", path...)
		return nil
	}
	for i, f := range list {
		one := f.Probe()
		if err := prober.Probes(one.Probe); err != nil {
			cfg.Fault(err, "freshness", append(slices.Clone(path), i)...)
			continue
		}
		able = append(able, one)
	}
	return able
}

func (fl *Fleet) hosts(ctx context.Context, cfg *config.Config, tenant string) (open []refresh.Spreadsheets) {
	for _, s := range cfg.Tenants[tenant].Spreadsheets {
		one := refresh.Spreadsheets{Name: s.Name, Kind: s.Holds}
		h, err := openHost(ctx, s, one.Limiter(fl.limiter))
		if err != nil {
			cfg.Fault(err, "spreadsheets "+s.Name, "tenants", tenant, "spreadsheets", s.At)
			continue
		}
		if c, ok := h.(io.Closer); ok {
			fl.closers = append(fl.closers, c)
		}
		one.Driver = h
		open = append(open, one)
	}
	return open
}

func openSource(ctx context.Context, d *config.SourceEntry) (source.Source, error) {
	if d.Config == nil {
		return nil, Drivers().Sources.Unknown(d.Kind)
	}
	return d.Config.Open(ctx)
}

func openHost(ctx context.Context, s config.HostEntry, limiter host.Limiter) (host.Driver, error) {
	if s.Config == nil {
		return nil, Drivers().Hosts.Unknown(s.Kind)
	}
	return s.Config.Open(ctx, limiter)
}

// Close closes everything that is open.
func (fl *Fleet) Close() error {
	var errs []error
	for _, c := range fl.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Drivers are the kinds of sources and hosts that a configuration may name. A new one is a package and a row.
func Drivers() config.Drivers {
	return config.Drivers{
		Sources: config.Kinds[source.Config]{
			{Name: "sqlite", New: func() source.Config { return new(sqlite.Config) }},
			{Name: "files", New: func() source.Config { return new(files.Config) }},
			{Name: "postgres", New: func() source.Config { return new(postgres.Config) }},
			{Name: "mysql", New: func() source.Config { return new(mysql.Config) }},
			{Name: "cube", New: func() source.Config { return new(cube.Config) }},
		},
		Hosts: config.Kinds[host.Config]{
			{Name: "xlsx", New: func() host.Config { return new(xlsx.Config) }},
			{Name: "google", New: func() host.Config { return new(google.Config) }},
			{Name: "graph", New: func() host.Config { return new(graph.Config) }},
		},
	}
}
