package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
)

// source tries the source of a deployment and, when it answers, prints what is not safe about it, and which reports it does not let run.
func (ck *checker) source(id record.Deployment, d refresh.DeploymentSource) {
	what := sourceOf(id.Tenant, id.ID)
	if !ck.try(what, d.Source.Check) {
		return
	}
	ctx, cancel := context.WithTimeout(ck.Ctx, checkPatience)
	defer cancel()
	if known, ok := d.Source.(source.Warner); ok {
		warnings, err := known.Warnings(ctx, d.Location)
		if err != nil {
			warnings = append(warnings, "its login could not be looked at: "+reason(err))
		}
		for _, w := range warnings {
			ck.warn(what, w)
		}
	}
	ck.probes(what, d)
	if known, ok := d.Source.(source.Explainer); ok && ck.store != nil {
		ck.reports(ctx, what, id, d.Location, known)
	}
}

// maxReportWarnings is how many reports of a deployment are named.
const maxReportWarnings = 10

// reports prints the stored reports whose queries the source refuses, as far as there is time to look.
func (ck *checker) reports(ctx context.Context, what string, id record.Deployment, at *time.Location, src source.Explainer) {
	refused := 0
	all := func(*storage.Report) bool { return true }
	for item, err := range ck.store.Reports().List(ctx, id, record.ListQuery{}, all) {
		if err != nil {
			ck.warn(what, "not all of its reports could be looked at: "+process.Plain(err).Error())
			return
		}
		r := item.Asset
		if item.Err != nil || r.SQLQuery == "" && r.JSONQuery == "" {
			continue
		}
		err := src.Explain(ctx, source.Query{SQL: r.SQLQuery, JSON: r.JSONQuery, Location: at, User: source.User{Tenant: id.Tenant}})
		if ctx.Err() != nil {
			ck.warn(what, fmt.Sprintf("not all of its reports could be looked at in %s", checkPatience))
			return
		}
		fault, ok := errors.AsType[*placements.Fault](err)
		if !ok || fault.Class == placements.Transient {
			continue
		}
		if refused++; refused <= maxReportWarnings {
			ck.warn(what, fmt.Sprintf("report %d (%q) does not run: %s", r.ID, r.Name, fault.Message))
		}
	}
	if refused > maxReportWarnings {
		ck.warn(what, fmt.Sprintf("and %d more reports do not run", refused-maxReportWarnings))
	}
}

// slowProbe is how long a probe's query may take before it is no cheap one.
const slowProbe = time.Second

// probes tries every probe of a source.
func (ck *checker) probes(what string, d refresh.DeploymentSource) {
	for i, f := range d.Freshness {
		what := fmt.Sprintf("%s: freshness %d", what, i+1)
		if prober, ok := d.Source.(source.Prober); ok && f.Asked() {
			began := time.Now()
			ck.try(what, func(ctx context.Context) error {
				_, err := prober.Probe(ctx, f.Query)
				return err
			})
			if took := time.Since(began); took > slowProbe {
				ck.warn(what, fmt.Sprintf("its query took %s and runs every %s: make it cheaper, or every longer",
					took.Round(100*time.Millisecond), f.WithDefaults().Every))
			}
		}
		if listener, ok := d.Source.(source.Listener); ok && f.Listen != "" {
			ck.try(what+": listen", func(ctx context.Context) error { return hears(ctx, listener, f.Listen) })
		}
	}
}

// hears reports why a source's channel cannot be listened to.
func hears(ctx context.Context, l source.Listener, channel string) error {
	listening, cancel := context.WithCancel(ctx)
	defer cancel()
	err := l.Listen(listening, channel, cancel)
	if ctx.Err() == nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// sourceOf names the source of a deployment.
func sourceOf(tenant string, id int64) string {
	return fmt.Sprintf("tenant %s: source of deployment %d", tenant, id)
}
