package web

import (
	"math"
	"net/http"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// settingsShape is the body of a settings write: any of TenantSettings' fields.
var settingsShape = object(
	member{name: "auditLogEnabled", shape: boolean},
	member{name: "auditLogEnabledCurrent", shape: boolean},
	member{name: "auditLogEnabledTimestamp", shape: integer(math.MinInt64)},
	member{name: "hasSupportAccess", shape: boolean},
	member{name: "useAIBIUserInterface", shape: boolean},
	member{name: "maintenanceWindowEnabled", shape: boolean},
	member{name: "maintenanceWindowDay", shape: text(maxName)},
	member{name: "maintenanceWindowTime", shape: text(maxName)},
	member{name: "oidcEnabled", shape: boolean},
)

// getSettings answers with the tenant's settings (interface.md, Read tenant settings); any valid token reads them.
func (s *Server) getSettings(c *gin.Context) error {
	settings, err := s.store.Settings(c.Request.Context(), current(c).Caller.Tenant)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, settings)
	return nil
}

// putSettings writes the settings sent; it needs the action All.
func (s *Server) putSettings(c *gin.Context) error {
	caller := current(c).Caller
	if !caller.isAdmin() {
		return refuse(codeForbidden, "Writing the settings of a tenant needs the action All in the token itself: ask for a token with it.")
	}
	body, err := s.decode(c, settingsShape)
	if err != nil {
		return err
	}
	before, settings, err := s.store.UpdateSettings(c.Request.Context(), caller.Tenant, settingsInput(body))
	if err != nil {
		return err
	}
	effect := storage.Unchanged
	if settings != before {
		effect = storage.Updated
	}
	sayEffect(c, effect)
	c.JSON(http.StatusOK, settings)
	return nil
}

func settingsInput(v values) storage.SettingsInput {
	return storage.SettingsInput{
		AuditLogEnabled:          v.boolean("auditLogEnabled"),
		AuditLogEnabledCurrent:   v.boolean("auditLogEnabledCurrent"),
		AuditLogEnabledTimestamp: v.integer("auditLogEnabledTimestamp"),
		HasSupportAccess:         v.boolean("hasSupportAccess"),
		UseAIBIUserInterface:     v.boolean("useAIBIUserInterface"),
		MaintenanceWindowEnabled: v.boolean("maintenanceWindowEnabled"),
		MaintenanceWindowDay:     v.text("maintenanceWindowDay"),
		MaintenanceWindowTime:    v.text("maintenanceWindowTime"),
		OIDCEnabled:              v.boolean("oidcEnabled"),
	}
}
