package storage

import (
	"strconv"
	"strings"

	"mooring/storage/keys"
	"mooring/storage/record"
)

// Every key of records is made here, below the prefixes of package keys, which makes those that the queue needs as well.

// partitionsKey STRING: the partition count of this storage.
const partitionsKey = "mooring:partitions"

// schemaKey STRING: the version of the layout of what is stored, see layout.
const schemaKey = "mooring:schema"

const maxPartitions = 1024

// quotaKey STRING, expires: the token bucket of an account with another service. Accounts are shared by tenants, so it lies in no
// partition.
func quotaKey(account string) string { return "mooring:quota:" + account }

// readyKey STRING of a partition, expires: written to see whether the server takes writes.
func readyKey(k keys.Partition) string { return k.Prefix + "ready" }

// tenantKeys makes the keys of one tenant.
type tenantKeys keys.Tenant

func (e *engine) tenant(tenant string) tenantKeys {
	return tenantKeys(keys.OfTenant(tenant, e.partitions))
}

// publicIDs HASH: publicId -> "<deployment>:<report>".
func (k tenantKeys) publicIDs() string { return k.Prefix + "publicIds" }

// document ZSET, all scores 0: "<deployment>:<report>:<slot>" for every placement in a spreadsheet, and "=<id>\n<deployment>:<report>" for
// each that has an id.
func (k tenantKeys) document(id string) string { return k.Prefix + "doc:" + id }

// cells ZSET of one sheet of a spreadsheet, named by placements.SheetKey, and one level of height, see cellLevel:
// "<last row>:<first column>:<last column>:<deployment>:<report>:<slot>", with leading zeros -> first row.
func (k tenantKeys) cells(level int, sheetKey string) string {
	return k.Prefix + "cells:" + strconv.Itoa(level) + ":" + sheetKey
}

// schedulesOfTenant ZSET, all scores 0: "<deployment>:<schedule>" of every schedule.
func (k tenantKeys) schedulesOfTenant() string { return k.Prefix + "schedules" }

// schedulesOf ZSET: "<deployment>:<schedule>" of what a user has made -> how often it fires in an hour, at most.
func (k tenantKeys) schedulesOf(user int64) string {
	return k.schedulesOfTenant() + ":" + strconv.FormatInt(user, 10)
}

// schedulesLock serializes what is held to the ScheduleLimits of a tenant.
func (k tenantKeys) schedulesLock() string { return k.lock("schedules") }

// lock STRING, expires: the token of the holder of the named lock.
func (k tenantKeys) lock(name string) string { return k.Prefix + "lock:" + name }

// publicIDLock serializes all that claims a publicId.
func (k tenantKeys) publicIDLock(publicID string) string { return k.lock("publicId:" + publicID) }

// documentLock makes writes to one spreadsheet serial.
func (k tenantKeys) documentLock(id string) string { return keys.Tenant(k).DocumentLock(id) }

// deploymentKeys makes the keys of one deployment.
type deploymentKeys struct {
	tenantKeys
	keys.Deployment
}

func (e *engine) deployment(d record.Deployment) deploymentKeys {
	k := keys.Of(d, e.partitions)
	return deploymentKeys{tenantKeys(k.Tenant), k}
}

// at is the deployment whose keys these are.
func (k deploymentKeys) at() record.Deployment {
	return record.Deployment{Tenant: k.Name, ID: k.ID}
}

// ids HASH: kind of asset -> the last id given out.
func (k deploymentKeys) ids() string { return k.Deployment.Prefix + "ids" }

// reports ZSET: every report id, scored by itself.
func (k deploymentKeys) reports() string { return k.Deployment.Prefix + "reports" }

// spots ZSET of a report, all scores 0: "<sheet and anchor>\n<slot>" for what stands there in whatever spreadsheet, and "<anchor,
// spreadsheet and sheetId>\n<slot>" for what has a sheetId.
func (k deploymentKeys) spots(report int64) string {
	return k.Deployment.Prefix + "report:" + strconv.FormatInt(report, 10) + ":spots"
}

// rows STRING: the fingerprints of the rows that a placement's block holds.
func (k deploymentKeys) rows(report int64, placement string) string {
	return k.Report(report) + ":rows:" + placement
}

// writeAheadRows STRING, expires: the fingerprints that an attempt was about to write and may have left, until the run is completed.
func (k deploymentKeys) writeAheadRows(report int64, placement string) string {
	return k.rows(report, placement) + ":intended"
}

// edits STRING: the JSON list of Edit that the last completed run kept in a placement's block. It is there exactly while the placement has
// an EditSummary.
func (k deploymentKeys) edits(report int64, placement string) string {
	return k.Report(report) + ":edits:" + placement
}

// returnedEdits SET: the ids of those edits of a placement that are given back to the source.
func (k deploymentKeys) returnedEdits(report int64, placement string) string {
	return k.Report(report) + ":returned:" + placement
}

// synthesized SET: the reports without a stored publicId that show this synthesized id.
func (k deploymentKeys) synthesized(id string) string {
	return k.Deployment.Prefix + "synthesized:" + id
}

// workbooks ZSET: every workbook id, scored by itself.
func (k deploymentKeys) workbooks() string { return k.Deployment.Prefix + "workbooks" }

// workbook HASH: definition, meta, draft, published.
func (k deploymentKeys) workbook(id int64) string {
	return k.workbookPrefix() + strconv.FormatInt(id, 10)
}

func (k deploymentKeys) workbookPrefix() string { return k.Deployment.Prefix + "workbook:" }

// slugs HASH: slug -> "<deployment>:<workbook>".
func (k deploymentKeys) slugs() string { return k.Deployment.Prefix + "slugs" }

// reportLock serializes the writers of a report.
func (k deploymentKeys) reportLock(id int64) string {
	return k.Deployment.Prefix + reportLockInfix + strconv.FormatInt(id, 10)
}

// referenceLock serializes what refers to a report, or deletes it.
func (k deploymentKeys) referenceLock(report int64) string {
	return k.Deployment.Prefix + "lock:reference:" + strconv.FormatInt(report, 10)
}

func (k deploymentKeys) reportLockPrefix() string { return k.Deployment.Prefix + reportLockInfix }

const reportLockInfix = "lock:report:"

// workbookLock serializes the writers of a workbook.
func (k deploymentKeys) workbookLock(id int64) string {
	return k.workbookLockPrefix() + strconv.FormatInt(id, 10)
}

func (k deploymentKeys) workbookLockPrefix() string { return k.Deployment.Prefix + "lock:workbook:" }

// slugLock serializes all that claims a slug.
func (k deploymentKeys) slugLock(slug string) string {
	return k.Deployment.Prefix + "lock:slug:" + slug
}

// schedules ZSET: every schedule id, scored by itself.
func (k deploymentKeys) schedules() string { return k.Deployment.Prefix + "schedules" }

// scheduleKeys HASH: key of a schedule -> "<deployment>:<schedule>".
func (k deploymentKeys) scheduleKeys() string { return k.Deployment.Prefix + "scheduleKeys" }

// scheduleKeyLock serializes all that claims a key.
func (k deploymentKeys) scheduleKeyLock(key string) string {
	return k.Deployment.Prefix + "lock:scheduleKey:" + key
}

// project HASH: "a:<asset>" -> Applied JSON of what the project applied last; "d:<asset>" -> Deletion JSON of what was deleted
// by hand since, of a placement by its id;
// revision -> how many applies changed something.
func (k deploymentKeys) project(name string) string { return k.Deployment.Prefix + "project:" + name }

// plan HASH, expires: bundle, plan, maker, result.
func (k deploymentKeys) plan(id string) string { return k.Deployment.Prefix + "plan:" + id }

// plansOf ZSET of a user, expires: plan id -> ms when it was made.
func (k deploymentKeys) plansOf(user int64) string {
	return k.Deployment.Prefix + "plans:" + strconv.FormatInt(user, 10)
}

// scheduleLock serializes the writers of a schedule.
func (k deploymentKeys) scheduleLock(id int64) string {
	return k.Deployment.Prefix + "lock:schedule:" + strconv.FormatInt(id, 10)
}

// owner is how an index names an asset: "<deployment>:<id>".
func (k deploymentKeys) owner(id int64) string {
	return strconv.FormatInt(k.ID, 10) + ":" + strconv.FormatInt(id, 10)
}

func (k deploymentKeys) ownerPrefix() string { return strconv.FormatInt(k.ID, 10) + ":" }

// owned returns the id in an index entry, and whether the asset belongs to this deployment.
func (k deploymentKeys) owned(owner string) (id int64, here bool) {
	text, here := strings.CutPrefix(owner, k.ownerPrefix())
	if !here {
		return 0, false
	}
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil
}
