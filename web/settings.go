package web

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/bind"
)

// settingsInput is the body of a settings write: any of TenantSettings' fields.
type settingsInput struct{ record.SettingsInput }

func (b *settingsInput) members(o *bind.Object) {
	o.OptionalFlag("auditLogEnabled", &b.AuditLogEnabled)
	o.OptionalFlag("auditLogEnabledCurrent", &b.AuditLogEnabledCurrent)
	o.OptionalWhole("auditLogEnabledTimestamp", &b.AuditLogEnabledTimestamp, bind.AnyNumber)
	o.OptionalFlag("hasSupportAccess", &b.HasSupportAccess)
	o.OptionalFlag("useAIBIUserInterface", &b.UseAIBIUserInterface)
	o.OptionalFlag("maintenanceWindowEnabled", &b.MaintenanceWindowEnabled)
	bind.OptionalText(o, "maintenanceWindowDay", &b.MaintenanceWindowDay, maxName)
	bind.OptionalText(o, "maintenanceWindowTime", &b.MaintenanceWindowTime, maxName)
	o.OptionalFlag("oidcEnabled", &b.OIDCEnabled)
}

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
	if !caller.IsAdmin() {
		return placements.Errorf(placements.CodeForbidden,
			"Writing the settings of a tenant needs the action All in the token itself: ask for a token with it.")
	}
	var in settingsInput
	if err := s.read(c, &in); err != nil {
		return err
	}
	before, settings, err := s.store.UpdateSettings(c.Request.Context(), caller.Tenant, in.SettingsInput)
	if err != nil {
		return err
	}
	effect := record.Unchanged
	if settings != before {
		effect = record.Updated
	}
	sayEffect(c, effect)
	c.JSON(http.StatusOK, settings)
	return nil
}
