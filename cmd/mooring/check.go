package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"mooring/cmd/mooring/config"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host/rest"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
)

// checkPatience is how long one thing may take to answer.
const checkPatience = 15 * time.Second

// checkCommand tries everything that a configuration names.
type checkCommand struct {
	configFlag
	redisFlag
}

// Run prints one line for the configuration, Redis, every source and every spreadsheet host, and one for each thing about them
// that works but is not safe. It fails if any of them does.
func (c *checkCommand) Run(s *session) error {
	cfg, err := s.load(c.configFlag, c.redisFlag)
	if err != nil {
		return err
	}
	fl, err := openFleet(s.ctx, cfg, &rest.Buckets{})
	if err != nil {
		return err
	}
	fmt.Fprintln(s.stdout, "ok      configuration")
	ck := &checker{session: s}
	ck.configuration(cfg)
	ck.redis(cfg)
	for _, i := range cfg.Issuers(nil, s.log) {
		ck.try("keys of the issuer "+i.Name(), i.Fetch)
	}
	for _, name := range slices.Sorted(maps.Keys(fl.tenants)) {
		t := fl.tenants[name]
		for _, id := range slices.Sorted(maps.Keys(t.Deployments)) {
			if d := t.Deployments[id]; d.Source != nil {
				ck.source(record.Deployment{Tenant: name, ID: id}, d)
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(t.Hosts)) {
			what := fmt.Sprintf("tenant %s: spreadsheets %s", name, kind)
			ck.try(what, t.Hosts[kind].Check)
			if cfg.Tenants[name].Spreadsheets[kind].Documents == nil {
				ck.warn(what, "without documents a report may be placed in every document that the host reaches, by anyone who may "+
					"read it; name those of each deployment, such as documents: {1: [\"sales-*\"]}")
			}
		}
	}
	return errors.Join(ck.err(), ck.close(), fl.Close())
}

// checker prints a line for each thing tried and counts what failed.
type checker struct {
	*session
	store         *storage.Store // nil: it was not opened
	tried, failed int
}

// configuration prints what about the configuration works and is not safe.
func (ck *checker) configuration(cfg *config.Config) {
	ctx, cancel := context.WithTimeout(ck.ctx, checkPatience)
	defer cancel()
	for _, w := range cfg.Warnings(ctx) {
		ck.warn("configuration", w)
	}
}

// redis opens the store, which also compares the partition count, and prints what about it works and may cost data.
func (ck *checker) redis(cfg *config.Config) {
	quiet := *ck.session
	quiet.log = slog.New(slog.DiscardHandler) // opening an embedded store warns in the log too
	var warnings []string
	ck.try("redis", func(ctx context.Context) (err error) {
		if ck.store, err = quiet.open(cfg, ""); err != nil {
			return err
		}
		warnings, err = ck.store.Warnings(ctx)
		return plain(err)
	})
	for _, w := range warnings {
		ck.warn("redis", w)
	}
}

// close closes the store.
func (ck *checker) close() error {
	if ck.store == nil {
		return nil
	}
	return ck.store.Close()
}

// source tries the source of a deployment and, when it answers, prints what is not safe about it, and which reports it does not let run.
func (ck *checker) source(id record.Deployment, d refresh.Deployment) {
	what := fmt.Sprintf("tenant %s: source of deployment %d", id.Tenant, id.ID)
	if !ck.try(what, d.Source.Check) {
		return
	}
	ctx, cancel := context.WithTimeout(ck.ctx, checkPatience)
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
	for item, err := range ck.store.Reports(ctx, id, record.ListQuery{}, all) {
		if err != nil {
			ck.warn(what, "not all of its reports could be looked at: "+plain(err).Error())
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
func (ck *checker) probes(what string, d refresh.Deployment) {
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

func (ck *checker) warn(what, warning string) {
	fmt.Fprintf(ck.stdout, "warning %s: %s\n", what, strings.ReplaceAll(warning, "\n", " "))
}

// try prints whether something works, and reports it.
func (ck *checker) try(what string, check func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ck.ctx, checkPatience)
	defer cancel()
	ck.tried++
	err := check(ctx)
	if err == nil {
		fmt.Fprintf(ck.stdout, "ok      %s\n", what)
		return true
	}
	ck.failed++
	fmt.Fprintf(ck.stdout, "FAILED  %s: %s\n", what, reason(err))
	return false
}

// reason is what to tell the person at the terminal: a fault's sentence, and its cause, which may name paths of this very machine.
func reason(err error) string {
	var fault *placements.Fault
	if errors.As(err, &fault) && fault.Err != nil {
		return fmt.Sprintf("%s (%v)", fault.Message, fault.Err)
	}
	return err.Error()
}

func (ck *checker) err() error {
	if ck.failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d checks failed", ck.failed, ck.tried)
}
