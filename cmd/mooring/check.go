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
	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
	"mooring/storage"
	"mooring/storage/record"
)

// checkPatience is how long one thing may take to answer.
const checkPatience = 15 * time.Second

// partPatience is how long a part of a spreadsheet host may take, which is asked for several things.
const partPatience = time.Minute

// checkCommand tries everything that a configuration names.
type checkCommand struct {
	process.ConfigFlag
	process.RedisFlag
}

// Run prints one line for the configuration, Redis, every source and every spreadsheet host, and one for each thing about them
// that works but is not safe. It fails if any of them does.
func (c *checkCommand) Run(s *process.Invocation) error {
	cfg, err := s.Load(c.ConfigFlag, c.RedisFlag)
	if err != nil {
		return err
	}
	fl, err := process.OpenFleet(s.Ctx, cfg, &rest.Buckets{})
	if err != nil {
		return err
	}
	fmt.Fprintln(s.Stdout, "ok      configuration")
	ck := &checker{Invocation: s}
	ck.configuration(cfg)
	ck.redis(cfg)
	for _, i := range cfg.Issuers(nil, s.Log) {
		ck.try("keys of the issuer "+i.Name(), i.Fetch)
	}
	for _, name := range slices.Sorted(maps.Keys(fl.Tenants)) {
		t := fl.Tenants[name]
		for _, id := range slices.Sorted(maps.Keys(t.Deployments)) {
			if d := t.Deployments[id]; d.Source != nil {
				ck.source(record.Deployment{Tenant: name, ID: id}, d)
			}
		}
		for i, h := range t.Hosts {
			what := fmt.Sprintf("tenant %s: spreadsheets %s", name, h.Name)
			if parted, ok := h.Driver.(host.Parted); ck.try(what, h.Check) && ok {
				ck.parts(what, parted)
			}
			if cfg.Tenants[name].Spreadsheets[i].Documents == nil {
				ck.warn(what, "without documents a report may be placed in every document that the host reaches, and agents open "+
					"those where somebody placed it who may edit it; name those of each deployment, such as documents: {1: [\"sales-*\"]}")
			}
		}
	}
	ck.schedules(cfg)
	return errors.Join(ck.err(), ck.close(), fl.Close())
}

// checker prints a line for each thing tried and counts what failed.
type checker struct {
	*process.Invocation
	store         *storage.Store // nil: it was not opened
	tried, failed int
}

// configuration prints what about the configuration works and is not safe.
func (ck *checker) configuration(cfg *config.Config) {
	ctx, cancel := context.WithTimeout(ck.Ctx, checkPatience)
	defer cancel()
	for _, w := range cfg.Warnings(ctx) {
		ck.warn("configuration", w)
	}
}

// redis opens the store, which also compares the partition count, and prints what about it works and may cost data.
func (ck *checker) redis(cfg *config.Config) {
	quiet := *ck.Invocation
	quiet.Log = slog.New(slog.DiscardHandler) // opening an embedded store warns in the log too
	var warnings []string
	ck.try("redis", func(ctx context.Context) (err error) {
		if ck.store, err = quiet.Open(cfg, ""); err != nil {
			return err
		}
		warnings, err = ck.store.Warnings(ctx)
		return process.Plain(err)
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

// schedules prints which hooks and probes would run no schedule.
func (ck *checker) schedules(cfg *config.Config) {
	runs := scheduleKeys(cfg)
	if cfg.Embedded() || ck.store == nil || len(runs) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ck.Ctx, checkPatience)
	defer cancel()
	for _, r := range runs {
		if _, err := ck.store.Schedules().ByKey(ctx, r.in, r.key); errors.Is(err, storage.ErrNotFound) {
			ck.warn(r.what, fmt.Sprintf("tenant %s, deployment %d has no schedule with the key %s: %s", r.in.Tenant, r.in.ID, r.key, r.then))
		}
	}
}

// scheduleKey is a schedule that the configuration names.
type scheduleKey struct {
	what, key, then string // what names it, and what its absence means
	in              record.Deployment
}

// scheduleKeys are the schedules that hooks and probes run.
func scheduleKeys(cfg *config.Config) (list []scheduleKey) {
	for _, h := range cfg.Hooks {
		in := record.Deployment{Tenant: h.Tenant, ID: h.Deployment}
		list = append(list, scheduleKey{"hook " + h.ID, h.Schedule, "what is sent to it runs nothing", in})
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Tenants)) {
		for _, id := range slices.Sorted(maps.Keys(cfg.Tenants[name].Deployments)) {
			if d := cfg.Tenants[name].Deployments[id]; d.Source != nil {
				list = append(list, probeKeys(record.Deployment{Tenant: name, ID: id}, d.Source.Freshness)...)
			}
		}
	}
	return list
}

// probeKeys are the schedules that the probes of a deployment's source run.
func probeKeys(in record.Deployment, probes []config.FreshnessEntry) (list []scheduleKey) {
	for i, f := range probes {
		what := fmt.Sprintf("%s: freshness %d", sourceOf(in.Tenant, in.ID), i+1)
		for _, key := range f.Schedules {
			list = append(list, scheduleKey{what, key, "a change does not run it", in})
		}
	}
	return list
}

// parts tries the parts of a host.
func (ck *checker) parts(what string, h host.Parted) {
	for i, part := range h.Parts() {
		part = what + ": " + part
		ctx, cancel := context.WithTimeout(ck.Ctx, partPatience)
		found, err := h.CheckPart(ctx, i)
		cancel()
		said := part
		if err == nil {
			said += ": " + found.Note
		}
		ck.tell(said, err)
		if found.Warning != "" {
			ck.warn(part, found.Warning)
		}
	}
}

func (ck *checker) warn(what, warning string) {
	fmt.Fprintf(ck.Stdout, "warning %s: %s\n", what, strings.ReplaceAll(warning, "\n", " "))
}

// try prints whether something works, and reports it.
func (ck *checker) try(what string, check func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ck.Ctx, checkPatience)
	defer cancel()
	return ck.tell(what, check(ctx))
}

// tell prints whether something works, and reports it. what names it, and says more of what works.
func (ck *checker) tell(what string, err error) bool {
	ck.tried++
	if err == nil {
		fmt.Fprintf(ck.Stdout, "ok      %s\n", what)
		return true
	}
	ck.failed++
	fmt.Fprintf(ck.Stdout, "FAILED  %s: %s\n", what, reason(err))
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
