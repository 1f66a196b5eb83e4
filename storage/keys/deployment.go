package keys

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
)

// Report HASH: publicId, synthesizedId, definition, version, stamp, located.
func (k DeploymentKeys) Report(id int64) string { return k.ofReport(id, "") }

// ReportPrefix is what the keys of reports begin with, before the id.
func (k DeploymentKeys) ReportPrefix() string { return k.Prefix + reportInfix }

const reportInfix = "report:"

// ofReport makes a key of a report in one piece: a connect needs eight of them.
func (k DeploymentKeys) ofReport(id int64, suffix string) string {
	return k.Prefix + reportInfix + strconv.FormatInt(id, 10) + suffix
}

// Placements HASH of a report: "p:<slot>" -> record of a placement, "r:<slot>" -> LastRun JSON, "a:<address>" -> slot and revision of the
// record. A slot is a placement's id, or \x01 and the address of one that was recorded before ids existed.
func (k DeploymentKeys) Placements(report int64) string { return k.ofReport(report, ":placements") }

// Standing HASH: "<report>:<slot>" -> what decides in which lists a placement is: status, placedAt in ms, 1 if it has edits, placedByUserId,
// host and spreadsheet, between tabs.
func (k DeploymentKeys) Standing() string { return k.Prefix + "standing" }

// Placed ZSET, all scores 0: "<placedAt in ms>:<report>:<slot>" of every placement with something in common, such as status:FAILED, or, for
// all, of every placement. Scripts make its name of Standing.
func (k DeploymentKeys) Placed(list string) string { return k.Prefix + "placed:" + list }

// Documents HASH: "<list>\n<spreadsheet>" -> how many of the deployment's placements in it are in the list, one of all, status:… and edited.
func (k DeploymentKeys) Documents() string { return k.Prefix + "documents" }

// DocumentList ZSET, all scores 0: every spreadsheet with a placement in a list, see Placed.
func (k DeploymentKeys) DocumentList(list string) string { return k.Documents() + ":" + list }

// Versions HASH of a report: each earlier version that is kept -> journal.Version JSON.
func (k DeploymentKeys) Versions(report int64) string { return k.ofReport(report, ":versions") }

// Definitions HASH of a report: each earlier version that is kept -> its definition; bytes -> of all of them. It has the versions of
// Versions.
func (k DeploymentKeys) Definitions(report int64) string { return k.ofReport(report, ":definitions") }

// OfReport ZSET of a report: run id -> ms when it was made.
func (k RunKeys) OfReport(report int64) string { return k.of.ofReport(report, ":runs") }

// ReportSchedules ZSET of a report: the id of every schedule of it, scored by itself.
func (k DeploymentKeys) ReportSchedules(report int64) string { return k.ofReport(report, ":schedules") }

// Failing HASH of a report: target -> the run on it that failed permanently and was not followed by one that succeeded.
func (k RunKeys) Failing(report int64) string { return k.of.ofReport(report, ":failing") }

// ActiveRuns HASH of a report: target -> the manual run that refreshes it.
func (k RunKeys) ActiveRuns(report int64) string { return k.of.ofReport(report, ":active") }

// Events STREAM of a deployment, group "webhooks": what happened to its reports.
func (k DeploymentKeys) Events() string { return k.Prefix + "events" }

// Audit STREAM of a deployment, expires: who changed which of its assets.
func (k DeploymentKeys) Audit() string { return k.Prefix + "audit" }

// AuditUse HASH, expires: entry and count, the entry of the audit that tells of the uses of a source within the hour, by its action and user.
func (k DeploymentKeys) AuditUse(use string) string { return k.Audit() + ":use:" + use }

// Record HASH: run -> Run JSON; state, fence, startedAt, stop, report; asked -> ms of the data that it must find; listed -> how many histories list it; place and facets -> see List;
// digest of a client run's plan.
func (k RunKeys) Record(id string) string { return k.of.Prefix + "run:" + id }

// List ZSET, all scores 0: "<µs when it was made>:<run id>" of every run of the deployment with a facet: of every run (all), of those
// that have not ended (open), that have ended in a state (state:FAILED), that FAILED because of a conflict (state:CONFLICT), and, expiring, of
// those of a report, owner, document or host (report:7).
func (k RunKeys) List(facet string) string { return k.of.Prefix + "runs:" + facet }

// Lateness HASH of a day, counted from 1970, expires after 32 days: "<hour, counted from 1970>:<bucket>" -> how many runs that schedules made
// in that hour began so late, see record.LatenessBucket.
func (k RunKeys) Lateness(day string) string { return k.of.Prefix + "lateness:" + day }

// ClientPlan STRING, expires: what completes a client run once its add-in has written.
func (k RunKeys) ClientPlan(run string) string { return k.Record(run) + ":plan" }

// DueRun names a run that waits for its next attempt in the due set.
func (k RunKeys) DueRun(id string) string { return k.of.dueMember("r", id) }

// Schedule HASH: definition, owner, next, active, failures, lastRun.
func (k DeploymentKeys) Schedule(id int64) string {
	return k.Prefix + "schedule:" + strconv.FormatInt(id, 10)
}

// OfSchedule ZSET of a schedule: run id -> ms when it was made. It outlives the schedule.
func (k RunKeys) OfSchedule(id int64) string { return k.of.Schedule(id) + ":runs" }

// ScheduleWaiting LIST of a schedule: the runs that wait for the active one to end.
func (k RunKeys) ScheduleWaiting(id int64) string { return k.of.Schedule(id) + ":waiting" }

// Probe HASH, expires: value and changes, what is kept of a probe of the deployment's source.
func (k DeploymentKeys) Probe(name string) string { return k.Prefix + "probe:" + name }

// ProbeLease STRING, expires: the agent that asks a probe.
func (k DeploymentKeys) ProbeLease(name string) string { return k.Probe(name) + ":lease" }

// Arrival STRING, expires: what became of word that data has changed -> JSON [[schedule id, run id, reason]…]. The name of the word is
// hashed: who sends it chooses it.
func (k RunKeys) Arrival(id string) string {
	sum := sha256.Sum256([]byte(id))
	return k.of.Prefix + "arrival:" + hex.EncodeToString(sum[:])
}

// DueSchedule names a schedule in the due set.
func (k DeploymentKeys) DueSchedule(id int64) string {
	return k.dueMember("s", strconv.FormatInt(id, 10))
}

func (k DeploymentKeys) dueMember(kind, id string) string {
	return kind + ":" + url.QueryEscape(k.Name) + ":" + strconv.FormatInt(k.ID, 10) + ":" + id
}

// RunKeys makes the keys of the runs of a deployment.
type RunKeys struct{ of DeploymentKeys }

// Runs makes the keys of the deployment's runs.
func (k DeploymentKeys) Runs() RunKeys { return RunKeys{k} }

// BlockKeys makes the keys of what is kept of the blocks of a deployment's placements.
type BlockKeys struct{ of DeploymentKeys }

// Blocks makes the keys of what is kept of the blocks of the deployment's placements.
func (k DeploymentKeys) Blocks() BlockKeys { return BlockKeys{k} }

// LockKeys makes the keys of the locks of a deployment's assets.
type LockKeys struct{ of DeploymentKeys }

// Locks makes the keys of the locks of the deployment's assets.
func (k DeploymentKeys) Locks() LockKeys { return LockKeys{k} }
