package web

import "testing"

func TestTenantSettings(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		const none = `{"auditLogEnabled":false,"auditLogEnabledCurrent":false,"auditLogEnabledTimestamp":0,"hasSupportAccess":false,"useAIBIUserInterface":false,
			"maintenanceWindowEnabled":false,"maintenanceWindowDay":"","maintenanceWindowTime":"","oidcEnabled":false}`
		const path = "/api/v1/tenant/settings"
		a.run(t, []step{
			{name: "any valid token reads all fields", method: "GET", path: path, as: "stranger", status: 200, holds: none},
			{name: "a token of one deployment too", method: "GET", path: path, as: "only2", status: 200, holds: none},
			{name: "only All writes", method: "PUT", path: path, as: "manager", body: `{"oidcEnabled":true}`, status: 403},
			{
				name: "All writes the fields sent", method: "PUT", path: path, as: "admin", body: `{"oidcEnabled":true,"maintenanceWindowDay":"SUNDAY","auditLogEnabledTimestamp":1700000000000}`, status: 200,
				holds: `{"oidcEnabled":true,"maintenanceWindowDay":"SUNDAY","auditLogEnabledTimestamp":1700000000000,"hasSupportAccess":false}`,
			},
			{name: "an absent field stays, null clears", method: "PUT", path: path, as: "admin", body: `{"oidcEnabled":null}`, status: 200, holds: `{"oidcEnabled":false,"maintenanceWindowDay":"SUNDAY"}`},
			{
				name: "types are checked, all faults at once", method: "PUT", path: path, as: "admin", body: `{"oidcEnabled":1,"maintenanceWindowTime":2}`, status: 400,
				holds: `{"details":[{"pointer":"/maintenanceWindowTime"},{"pointer":"/oidcEnabled"}]}`,
			},
			{name: "an empty write is a read", method: "PUT", path: path, as: "admin", body: `{}`, status: 200, holds: `{"maintenanceWindowDay":"SUNDAY"}`},
			{name: "another tenant has its own", method: "GET", path: path, as: "foreign", status: 200, holds: none},
		})
	})
}
