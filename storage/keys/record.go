package keys

import (
	"net/url"
	"strconv"
	"strings"

	"mooring/storage/record"
)

// PartitionCount STRING: the partition count of this storage.
const PartitionCount = "mooring:partitions"

// Schema STRING: the version of the layout of what is stored.
const Schema = "mooring:schema"

// Manifest HASH: hash -> of what the add-in's manifest is made of; template, number -> of its version.
const Manifest = "mooring:{addin}:manifest"

// Agents HASH, expires: id of an agent -> Agent JSON. AgentsSeen ZSET, expires: id of an agent -> ms when it was heard of last. Agents work
// for all tenants, so that these lie in a partition of their own.
const (
	Agents     = "mooring:{agents}:agents"
	AgentsSeen = "mooring:{agents}:seen"
)

// Reporter STRING, expires: the process that reports to a monitoring system what is the same for all processes.
const Reporter = "mooring:{agents}:reporter"

// Restoring STRING: JSON of the restore that was begun and has not ended: without it what is stored is not whole.
const Restoring = "mooring:restoring"

// Process STRING, expires: record.Process that uses the storage. They lie beside the agents.
func Process(id string) string { return "mooring:{agents}:process:" + id }

// MaxPartitions is the most partitions that a storage may have.
const MaxPartitions = 1024

// Quota STRING, expires: the token bucket of an account with another service. Accounts are shared by tenants, so it lies in no
// partition.
func Quota(account string) string { return "mooring:quota:" + account }

// Ready STRING, expires: written to see whether the server takes writes.
func (k Partition) Ready() string { return k.Prefix + "ready" }

// Witness STRING, expires: the number that a process left behind its last write to the partition.
func (k Partition) Witness(process string) string { return k.Prefix + "witness:" + process }

// Behind STRING: ms when the storage came back without its last writes, the last time that it did. Each partition has it.
func (k Partition) Behind() string { return k.Prefix + "behind" }

// PublicIDs HASH: publicId -> "<deployment>:<report>".
func (k TenantKeys) PublicIDs() string { return k.Prefix + "publicIds" }

// Audit STREAM of a tenant, expires: who changed what is of no deployment, such as settings.
func (k TenantKeys) Audit() string { return k.Prefix + "audit" }

// Document ZSET, all scores 0: "<deployment>:<report>:<slot>" for every placement in a spreadsheet, and "=<id>\n<deployment>:<report>" for
// each that has an id.
func (k TenantKeys) Document(id string) string { return k.Prefix + "doc:" + id }

// Sites HASH: id of a document that has a link -> placements.Whereabouts JSON.
func (k TenantKeys) Sites() string { return k.Prefix + "sites" }

// Links HASH: what a document says that it is -> record.Link JSON.
func (k TenantKeys) Links() string { return k.Prefix + "links" }

// Looks HASH: what a document says that it is -> user whose add-in asked where it is, as long as it is being looked for.
func (k TenantKeys) Looks() string { return k.Prefix + "looks" }

// DueLook names a document to look for in the due set.
func (k TenantKeys) DueLook(identity string) string {
	return "l:" + url.QueryEscape(k.Name) + ":0:" + identity
}

// Cells ZSET of one sheet of a spreadsheet, named by placements.SheetKey, and one level of height:
// "<last row>:<first column>:<last column>:<deployment>:<report>:<slot>", with leading zeros -> first row.
func (k TenantKeys) Cells(level int, sheetKey string) string {
	return k.Prefix + "cells:" + strconv.Itoa(level) + ":" + sheetKey
}

// SchedulesOfTenant ZSET, all scores 0: "<deployment>:<schedule>" of every schedule.
func (k TenantKeys) SchedulesOfTenant() string { return k.Prefix + "schedules" }

// SchedulesOf ZSET: "<deployment>:<schedule>" of what a user has made -> how often it fires in an hour, at most.
func (k TenantKeys) SchedulesOf(user int64) string {
	return k.SchedulesOfTenant() + ":" + strconv.FormatInt(user, 10)
}

// SchedulesLock serializes what is held to the ScheduleLimits of a tenant.
func (k TenantKeys) SchedulesLock() string { return k.lock("schedules") }

// lock STRING, expires: the token of the holder of the named lock.
func (k TenantKeys) lock(name string) string { return k.Prefix + "lock:" + name }

// PublicIDLock serializes all that claims a publicId.
func (k TenantKeys) PublicIDLock(publicID string) string { return k.lock("publicId:" + publicID) }

// At is the deployment whose keys these are.
func (k DeploymentKeys) At() record.Deployment {
	return record.Deployment{Tenant: k.Name, ID: k.ID}
}

// IDs HASH: kind of asset -> the last id given out.
func (k DeploymentKeys) IDs() string { return k.Prefix + "ids" }

// Reports ZSET: every report id, scored by itself.
func (k DeploymentKeys) Reports() string { return k.Prefix + "reports" }

// Spots ZSET of a report, all scores 0: "<sheet and anchor>\n<slot>" for what stands there in whatever spreadsheet, and "<anchor,
// spreadsheet and sheetId>\n<slot>" for what has a sheetId.
func (k DeploymentKeys) Spots(report int64) string {
	return k.ofReport(report, ":spots")
}

// Rows STRING: the fingerprints of the rows that a placement's block holds.
func (k BlockKeys) Rows(report int64, placement string) string {
	return k.of.Report(report) + ":rows:" + placement
}

// WriteAheadRows STRING, expires: the fingerprints that an attempt was about to write and may have left, until the run is completed.
func (k BlockKeys) WriteAheadRows(report int64, placement string) string {
	return k.Rows(report, placement) + ":intended"
}

// Edits STRING: the JSON list of Edit that the last completed run kept in a placement's block. It is there exactly while the placement has
// an EditSummary.
func (k BlockKeys) Edits(report int64, placement string) string {
	return k.of.Report(report) + ":edits:" + placement
}

// Changes HASH of a placement: "c:<run>" -> Change JSON of what a run changed in its block, "r:<run>" -> the rows, packed, of the last ten
// runs; runs -> their ids, the oldest first, with spaces between.
func (k BlockKeys) Changes(report int64, placement string) string {
	return k.of.Report(report) + ":changes:" + placement
}

// ReturnedEdits SET: the ids of those edits of a placement that are given back to the source.
func (k BlockKeys) ReturnedEdits(report int64, placement string) string {
	return k.of.Report(report) + ":returned:" + placement
}

// Synthesized SET: the reports without a stored publicId that show this synthesized id.
func (k DeploymentKeys) Synthesized(id string) string {
	return k.Prefix + "synthesized:" + id
}

// Workbooks ZSET: every workbook id, scored by itself.
func (k DeploymentKeys) Workbooks() string { return k.Prefix + "workbooks" }

// Workbook HASH: definition, meta, draft, published.
func (k DeploymentKeys) Workbook(id int64) string {
	return k.WorkbookPrefix() + strconv.FormatInt(id, 10)
}

// WorkbookPrefix is what the keys of workbooks begin with, before the id.
func (k DeploymentKeys) WorkbookPrefix() string { return k.Prefix + "workbook:" }

// Slugs HASH: slug -> "<deployment>:<workbook>".
func (k DeploymentKeys) Slugs() string { return k.Prefix + "slugs" }

// Report serializes the writers of a report.
func (k LockKeys) Report(id int64) string {
	return k.ReportPrefix() + strconv.FormatInt(id, 10)
}

// Reference serializes what refers to a report, or deletes it.
func (k LockKeys) Reference(report int64) string {
	return k.of.Prefix + "lock:reference:" + strconv.FormatInt(report, 10)
}

// ReportPrefix is what the locks of reports begin with, before the id.
func (k LockKeys) ReportPrefix() string { return k.of.Prefix + "lock:report:" }

// Workbook serializes the writers of a workbook.
func (k LockKeys) Workbook(id int64) string {
	return k.WorkbookPrefix() + strconv.FormatInt(id, 10)
}

// WorkbookPrefix is what the locks of workbooks begin with, before the id.
func (k LockKeys) WorkbookPrefix() string { return k.of.Prefix + "lock:workbook:" }

// Slug serializes all that claims a slug.
func (k LockKeys) Slug(slug string) string {
	return k.of.Prefix + "lock:slug:" + slug
}

// Schedules ZSET: every schedule id, scored by itself.
func (k DeploymentKeys) Schedules() string { return k.Prefix + "schedules" }

// PausedSchedules ZSET: the id of every schedule that is paused, scored by itself.
func (k DeploymentKeys) PausedSchedules() string { return k.Schedules() + ":paused" }

// ScheduleKeys HASH: key of a schedule -> "<deployment>:<schedule>".
func (k DeploymentKeys) ScheduleKeys() string { return k.Prefix + "scheduleKeys" }

// ScheduleKey serializes all that claims a key.
func (k LockKeys) ScheduleKey(key string) string {
	return k.of.Prefix + "lock:scheduleKey:" + key
}

// Project HASH: "a:<asset>" -> Applied JSON of what the project applied last; "d:<asset>" -> Deletion JSON of what was deleted
// by hand since, of a placement by its id;
// revision -> how many applies changed something.
func (k DeploymentKeys) Project(name string) string { return k.Prefix + "project:" + name }

// PlansKept ZSET, expires: "<bytes> <deployment> <user> <plan id>" of each plan -> ms when it was made.
func (t TenantKeys) PlansKept() string { return t.Prefix + "plansKept" }

// Plan HASH, expires: bundle, plan, maker, result.
func (k DeploymentKeys) Plan(id string) string { return k.Prefix + "plan:" + id }

// PlansOf ZSET of a user, expires: plan id -> ms when it was made.
func (k DeploymentKeys) PlansOf(user int64) string {
	return k.Prefix + "plans:" + strconv.FormatInt(user, 10)
}

// Schedule serializes the writers of a schedule.
func (k LockKeys) Schedule(id int64) string {
	return k.of.Prefix + "lock:schedule:" + strconv.FormatInt(id, 10)
}

// Owner is how an index names an asset: "<deployment>:<id>".
func (k DeploymentKeys) Owner(id int64) string {
	return strconv.FormatInt(k.ID, 10) + ":" + strconv.FormatInt(id, 10)
}

// OwnerPrefix is what Owner begins with, before the id.
func (k DeploymentKeys) OwnerPrefix() string { return strconv.FormatInt(k.ID, 10) + ":" }

// Owned returns the id in an index entry, and whether the asset belongs to this deployment.
func (k DeploymentKeys) Owned(owner string) (id int64, here bool) {
	text, here := strings.CutPrefix(owner, k.OwnerPrefix())
	if !here {
		return 0, false
	}
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil
}
