package storage

import (
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"

	"mooring/storage/record"
)

// Every key is made here. All keys of a tenant carry the hash tag of the tenant's partition, so that one script may touch
// anything of a tenant and a cluster keeps it on one node.

// partitionsKey STRING: the partition count of this storage.
const partitionsKey = "mooring:partitions"

const maxPartitions = 1024

// quotaKey STRING, expires: the token bucket of an account with another service. Accounts are shared by tenants, so it lies in no
// partition.
func quotaKey(account string) string { return "mooring:quota:" + account }

// partition makes the keys of one partition.
type partition struct{ prefix string }

func partitionKeys(n int) partition { return partition{"mooring:{p" + padded(n, 2) + "}:"} }

// due ZSET: what must be looked at -> ms when. Its members are those of dueSchedule and dueRun.
func (k partition) due() string { return k.prefix + "due" }

// queue STREAM, group "agents": one entry an attempt.
func (k partition) queue() string { return k.prefix + "runs" }

// ready STRING: written to see whether the server takes writes.
func (k partition) ready() string { return k.prefix + "ready" }

// partition is where a tenant's keys live.
func (e *engine) partition(tenant string) int {
	h := fnv.New32a()
	h.Write([]byte(tenant))
	return int(h.Sum32() % uint32(e.partitions))
}

// tenantKeys makes the keys of one tenant.
type tenantKeys struct {
	partition
	name   string
	prefix string
}

func (e *engine) tenant(tenant string) tenantKeys {
	// Escaped, since a colon in a name could make one tenant's keys look like another's.
	p := partitionKeys(e.partition(tenant))
	return tenantKeys{p, tenant, p.prefix + "t:" + url.QueryEscape(tenant) + ":"}
}

// settings HASH: field of TenantSettings -> JSON value.
func (k tenantKeys) settings() string { return k.prefix + "settings" }

// publicIDs HASH: publicId -> "<deployment>:<report>".
func (k tenantKeys) publicIDs() string { return k.prefix + "publicIds" }

// document ZSET, all scores 0: "<deployment>:<report>:<slot>" for every placement in a spreadsheet, and "=<id>\n<deployment>:<report>" for
// each that has an id.
func (k tenantKeys) document(id string) string { return k.prefix + "doc:" + id }

// cells ZSET of one sheet of a spreadsheet, named by placements.SheetKey, and one level of height, see cellLevel:
// "<last row>:<first column>:<last column>:<deployment>:<report>:<slot>", with leading zeros -> first row.
func (k tenantKeys) cells(level int, sheetKey string) string {
	return k.prefix + "cells:" + strconv.Itoa(level) + ":" + sheetKey
}

// revoked ZSET: jti -> Unix seconds until which it must be remembered.
func (k tenantKeys) revoked() string { return k.prefix + "revoked" }

// idempotency HASH, expires: a POST under an Idempotency-Key; digest is a hash of who sent which key.
func (k tenantKeys) idempotency(digest string) string { return k.prefix + "idempotency:" + digest }

// keptAnswers ZSET, expires: "<bytes>:<digest>" of every answer that is kept for one caller -> ms when it was.
func (k tenantKeys) keptAnswers(who string) string { return k.prefix + "keptAnswers:" + who }

// schedulesOfTenant ZSET, all scores 0: "<deployment>:<schedule>" of every schedule.
func (k tenantKeys) schedulesOfTenant() string { return k.prefix + "schedules" }

// schedulesOf ZSET: "<deployment>:<schedule>" of what a user has made -> how often it fires in an hour, at most.
func (k tenantKeys) schedulesOf(user int64) string {
	return k.schedulesOfTenant() + ":" + strconv.FormatInt(user, 10)
}

// schedulesLock serializes what is held to the ScheduleLimits of a tenant.
func (k tenantKeys) schedulesLock() string { return k.lock("schedules") }

// rate STRING, expires: the token bucket of a bearer token.
func (k tenantKeys) rate(token string) string { return k.prefix + "rate:" + token }

// lock STRING, expires: the token of the holder of the named lock.
func (k tenantKeys) lock(name string) string { return k.prefix + "lock:" + name }

// publicIDLock serializes all that claims a publicId.
func (k tenantKeys) publicIDLock(publicID string) string { return k.lock("publicId:" + publicID) }

// documentLock makes writes to one spreadsheet serial.
func (k tenantKeys) documentLock(id string) string { return k.lock("doc:" + id) }

// deploymentKeys makes the keys of one deployment.
type deploymentKeys struct {
	tenantKeys
	deployment int64
	prefix     string
}

func (e *engine) deployment(d record.Deployment) deploymentKeys {
	t := e.tenant(d.Tenant)
	return deploymentKeys{t, d.ID, t.prefix + "d:" + strconv.FormatInt(d.ID, 10) + ":"}
}

// at is the deployment whose keys these are.
func (k deploymentKeys) at() record.Deployment {
	return record.Deployment{Tenant: k.name, ID: k.deployment}
}

// ids HASH: kind of asset -> the last id given out.
func (k deploymentKeys) ids() string { return k.prefix + "ids" }

// reports ZSET: every report id, scored by itself.
func (k deploymentKeys) reports() string { return k.prefix + "reports" }

// report HASH: publicId, synthesizedId, definition, version, stamp, located.
func (k deploymentKeys) report(id int64) string { return k.ofReport(id, "") }

// ofReport makes a key of a report in one piece: a connect needs eight of them.
func (k deploymentKeys) ofReport(id int64, suffix string) string {
	return k.prefix + reportInfix + strconv.FormatInt(id, 10) + suffix
}

const reportInfix = "report:"

func (k deploymentKeys) reportPrefix() string { return k.prefix + reportInfix }

// placements HASH of a report: "p:<slot>" -> record of a placement, "r:<slot>" -> LastRun JSON, "a:<address>" -> slot and revision of the
// record. A slot is a placement's id, or \x01 and the address of one that was recorded before ids existed.
func (k deploymentKeys) placements(report int64) string { return k.ofReport(report, ":placements") }

// spots ZSET of a report, all scores 0: "<sheet and anchor>\n<slot>" for what stands there in whatever spreadsheet, and "<anchor,
// spreadsheet and sheetId>\n<slot>" for what has a sheetId.
func (k deploymentKeys) spots(report int64) string { return k.ofReport(report, ":spots") }

// rows STRING: the fingerprints of the rows that a placement's block holds.
func (k deploymentKeys) rows(report int64, placement string) string {
	return k.report(report) + ":rows:" + placement
}

// writeAheadRows STRING, expires: the fingerprints that an attempt was about to write and may have left, until the run is completed.
func (k deploymentKeys) writeAheadRows(report int64, placement string) string {
	return k.rows(report, placement) + ":intended"
}

// edits STRING: the JSON list of Edit that the last completed run kept in a placement's block. It is there exactly while the placement has
// an EditSummary.
func (k deploymentKeys) edits(report int64, placement string) string {
	return k.report(report) + ":edits:" + placement
}

// returnedEdits SET: the ids of those edits of a placement that are given back to the source.
func (k deploymentKeys) returnedEdits(report int64, placement string) string {
	return k.report(report) + ":returned:" + placement
}

// reportRuns ZSET of a report: run id -> ms when it was made.
func (k deploymentKeys) reportRuns(report int64) string { return k.report(report) + ":runs" }

// events STREAM of a deployment, group "webhooks": what happened to its reports.
func (k deploymentKeys) events() string { return k.prefix + "events" }

// failing HASH of a report: target -> the run on it that failed permanently and was not followed by one that succeeded.
func (k deploymentKeys) failing(report int64) string { return k.report(report) + ":failing" }

// activeRuns HASH of a report: target -> the manual run that refreshes it.
func (k deploymentKeys) activeRuns(report int64) string { return k.report(report) + ":active" }

// synthesized SET: the reports without a stored publicId that show this synthesized id.
func (k deploymentKeys) synthesized(id string) string { return k.prefix + "synthesized:" + id }

// run HASH: run -> Run JSON; state, fence, startedAt, stop, report; listed -> how many histories list it; digest of a client run's plan.
func (k deploymentKeys) run(id string) string { return k.prefix + "run:" + id }

// clientPlan STRING, expires: the clientPlan JSON of a client run.
func (k deploymentKeys) clientPlan(run string) string { return k.run(run) + ":plan" }

// workbooks ZSET: every workbook id, scored by itself.
func (k deploymentKeys) workbooks() string { return k.prefix + "workbooks" }

// workbook HASH: definition, meta, draft, published.
func (k deploymentKeys) workbook(id int64) string {
	return k.workbookPrefix() + strconv.FormatInt(id, 10)
}

func (k deploymentKeys) workbookPrefix() string { return k.prefix + "workbook:" }

// slugs HASH: slug -> "<deployment>:<workbook>".
func (k deploymentKeys) slugs() string { return k.prefix + "slugs" }

// reportLock serializes the writers of a report.
func (k deploymentKeys) reportLock(id int64) string {
	return k.prefix + reportLockInfix + strconv.FormatInt(id, 10)
}

// referenceLock serializes what refers to a report, or deletes it.
func (k deploymentKeys) referenceLock(report int64) string {
	return k.prefix + "lock:reference:" + strconv.FormatInt(report, 10)
}

func (k deploymentKeys) reportLockPrefix() string { return k.prefix + reportLockInfix }

const reportLockInfix = "lock:report:"

// workbookLock serializes the writers of a workbook.
func (k deploymentKeys) workbookLock(id int64) string {
	return k.workbookLockPrefix() + strconv.FormatInt(id, 10)
}

func (k deploymentKeys) workbookLockPrefix() string { return k.prefix + "lock:workbook:" }

// slugLock serializes all that claims a slug.
func (k deploymentKeys) slugLock(slug string) string { return k.prefix + "lock:slug:" + slug }

// schedules ZSET: every schedule id, scored by itself.
func (k deploymentKeys) schedules() string { return k.prefix + "schedules" }

// schedule HASH: definition, owner, next, active, failures, lastRun.
func (k deploymentKeys) schedule(id int64) string {
	return k.prefix + "schedule:" + strconv.FormatInt(id, 10)
}

// scheduleKeys HASH: key of a schedule -> "<deployment>:<schedule>".
func (k deploymentKeys) scheduleKeys() string { return k.prefix + "scheduleKeys" }

// scheduleKeyLock serializes all that claims a key.
func (k deploymentKeys) scheduleKeyLock(key string) string {
	return k.prefix + "lock:scheduleKey:" + key
}

// project HASH: "a:<asset>" -> Applied JSON of what the project applied last; "d:<asset>" -> Deletion JSON of what was deleted
// by hand since, of a placement by its id;
// revision -> how many applies changed something.
func (k deploymentKeys) project(name string) string { return k.prefix + "project:" + name }

// plan HASH, expires: bundle, plan, maker, result.
func (k deploymentKeys) plan(id string) string { return k.prefix + "plan:" + id }

// plansOf ZSET of a user, expires: plan id -> ms when it was made.
func (k deploymentKeys) plansOf(user int64) string {
	return k.prefix + "plans:" + strconv.FormatInt(user, 10)
}

// scheduleRuns ZSET of a schedule: run id -> ms when it was made. It outlives the schedule.
func (k deploymentKeys) scheduleRuns(id int64) string { return k.schedule(id) + ":runs" }

// scheduleWaiting LIST of a schedule: the runs that wait for the active one to end.
func (k deploymentKeys) scheduleWaiting(id int64) string { return k.schedule(id) + ":waiting" }

// scheduleLock serializes the writers of a schedule.
func (k deploymentKeys) scheduleLock(id int64) string {
	return k.prefix + "lock:schedule:" + strconv.FormatInt(id, 10)
}

// dueSchedule names a schedule in the due set.
func (k deploymentKeys) dueSchedule(id int64) string {
	return k.dueMember("s", strconv.FormatInt(id, 10))
}

// dueRun names a run that waits for its next attempt in the due set.
func (k deploymentKeys) dueRun(id string) string { return k.dueMember("r", id) }

func (k deploymentKeys) dueMember(kind, id string) string {
	return kind + ":" + url.QueryEscape(k.name) + ":" + strconv.FormatInt(k.deployment, 10) + ":" + id
}

// owner is how an index names an asset: "<deployment>:<id>".
func (k deploymentKeys) owner(id int64) string {
	return strconv.FormatInt(k.deployment, 10) + ":" + strconv.FormatInt(id, 10)
}

func (k deploymentKeys) ownerPrefix() string { return strconv.FormatInt(k.deployment, 10) + ":" }

// owned returns the id in an index entry, and whether the asset belongs to this deployment.
func (k deploymentKeys) owned(owner string) (id int64, here bool) {
	text, here := strings.CutPrefix(owner, k.ownerPrefix())
	if !here {
		return 0, false
	}
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil
}
