//go:build unix

package requests

import "slices"

// step is a whole request of an operation: one that is accepted if those before it were.
type step struct {
	id     string
	body   map[string]any // nil: its example
	awaits bool           // it is sent until the run that it reads has ended
	typed  bool           // a person has typed into the block "orders" before
}

// tour is every operation at least once, in an order in which each is accepted: what one needs, those before it have made.
func tour() []step {
	return slices.Concat(
		steps("getMe", "getSignIn"), session,
		steps("createDeviceCode", "getPairing", "approvePairing", "createDeviceTokens", "listDevices", "endDevice", "createDeviceCode", "denyPairing"),
		steps("createKey", "listKeys", "endKey"),
		steps("getQuota", "listAgents", "putSettings", "getSettings", "listAccountAudit", "getStats"),
		steps("upsertReport", "getReportByPublicId"), customers, steps("updateReport", "setAccess", "getReport", "listReports", "listVersions", "getVersion", "listAudit"),
		steps("upsertWorkbook", "getWorkbookBySlug", "createWorkbook", "updateWorkbook", "updateDashboard", "publishDashboard", "getWorkbook", "listWorkbooks"),
		steps("connectWorkbook", "startRun"), end, steps("getRun", "listChanges", "getChange", "listRuns", "listDeploymentRuns", "streamEvents", "showResult"),
		previewed, edited, end, steps("listEdits"), returned, steps("startRun"), end, restored, end, steps("stampRefresh", "listDocumentPlacements", "listPlacements", "listDocuments", "listCauses"),
		steps("linkDocument", "getDocumentLink", "unlinkDocument"),
		steps("createSchedule", "getSchedule", "updateSchedule", "pauseSchedule", "resumeSchedule", "runSchedule"), end, steps("listScheduleRuns", "listSchedules"),
		steps("changeRuns", "changeSchedules", "startDocumentRuns", "stopRun", "stopRunById"), end,
		clientRun("tour"),
		steps("createPlan", "getPlan", "applyPlan", "listManaged", "upsertSchedule", "getScheduleByKey"), delivery, steps("revokeToken", "listRevocations"),
		steps("disconnectWorkbook", "deleteSchedule", "deleteWorkbook", "deleteReport"),
		steps("getSpec", "getDocs", "getDocsIndex", "getDocsPage", "getDocsAsset", "getManifest", "healthz", "readyz", "metrics"),
	)
}

// typedCell is in the block "orders", of one column.
const typedCell = "B3"

// steps are those with the examples of their operations.
func steps(ids ...string) (list []step) {
	for _, id := range ids {
		list = append(list, step{id: id})
	}
	return list
}

var (
	session   = steps("signIn", "signOut")
	customers = []step{{id: "createReport", body: map[string]any{ // of one column; it takes the values that the examples after it give
		"name": "Customers", "sqlQuery": "SELECT DISTINCT customer FROM orders WHERE amount >= @least ORDER BY customer",
		"parameters": []any{map[string]any{"name": "least", "type": "number", "default": 0}},
	}}}
	previewed = []step{{id: "previewRefresh", body: map[string]any{"anchor": "Sheet1!B2", "extent": map[string]any{"rows": 40, "columns": 4}, "cells": []any{}}}}
	edited    = []step{{id: "startRun", typed: true}}
	returned  = []step{{id: "returnEdits", body: map[string]any{"cells": []any{"Sheet1!" + typedCell}}}}
	restored  = []step{{id: "restoreChange", body: map[string]any{"executor": "agent"}}}
	delivery  = steps("receiveHook")
	end       = []step{{id: "getRunById", awaits: true}}
)

// clientRun is a run by a client in a document of its own, from the placement of its block to its end.
func clientRun(name string) []step {
	return []step{
		{id: "createReport"},
		{id: "connectWorkbook", body: map[string]any{"externalWorkbookId": name, "resultLocation": "Sheet1!B2", "placementId": name, "addressOnly": true}},
		{id: "startRun", body: map[string]any{"executor": "client", "placementId": name}},
		{id: "renewLease"},
		{id: "planRun", body: map[string]any{"fence": 1, "anchor": "Sheet1!B2", "extent": map[string]any{"rows": 40, "columns": 4}, "cells": []any{}}},
		{id: "completeRun"},
	}
}
