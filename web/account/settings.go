package account

import (
	"context"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
)

// settingsBody is the body of a settings write: any of TenantSettings' fields.
type settingsBody struct{ record.SettingsInput }

// Members implements request.Body.
func (b *settingsBody) Members(o *bind.Object) {
	o.OptionalFlag("auditLogEnabled", &b.AuditLogEnabled)
	o.OptionalFlag("auditLogEnabledCurrent", &b.AuditLogEnabledCurrent)
	o.OptionalWhole("auditLogEnabledTimestamp", &b.AuditLogEnabledTimestamp, bind.AnyNumber)
	o.OptionalFlag("hasSupportAccess", &b.HasSupportAccess)
	o.OptionalFlag("useAIBIUserInterface", &b.UseAIBIUserInterface)
	o.OptionalFlag("maintenanceWindowEnabled", &b.MaintenanceWindowEnabled)
	bind.OptionalText(o, "maintenanceWindowDay", &b.MaintenanceWindowDay, members.MaxName)
	bind.OptionalText(o, "maintenanceWindowTime", &b.MaintenanceWindowTime, members.MaxName)
	o.OptionalFlag("oidcEnabled", &b.OIDCEnabled)
}

// settings answers with the tenant's settings (interface.md, Read tenant settings); any valid token reads them.
func (a *API) settings(ctx context.Context, c *request.Call) (any, error) {
	return a.store.Tenants().Settings(ctx, c.Caller.Tenant)
}

// mayWriteSettings refuses a caller without the action All, for every deployment.
func mayWriteSettings(caller *auth.Caller) error {
	switch {
	case !caller.IsAdmin():
		return placements.Errorf(placements.CodeForbidden,
			"Writing the settings of a tenant needs the action All in the token itself: ask for a token with it.")
	case !caller.ManagesAccount():
		return placements.Errorf(placements.CodeForbidden,
			"This token is for some deployments only, and the settings are those of all: ask for a token with the action All for every deployment.")
	}
	return nil
}

// writeSettings writes the settings sent.
func (a *API) writeSettings(ctx context.Context, c *request.Call) (any, error) {
	var in settingsBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	before, settings, err := a.store.Tenants().UpdateSettings(ctx, c.Caller.Tenant, in.SettingsInput, c.Caller.Actor)
	if err != nil {
		return nil, err
	}
	effect := record.Unchanged
	if settings != before {
		effect = record.Updated
	}
	c.Tell(effect)
	return settings, nil
}
