package record

import (
	"mooring/placements"
)

// TenantSettings are the account-level settings (interface.md, TenantSettings). Their JSON names are the fields of the hash.
type TenantSettings struct {
	AuditLogEnabled          bool   `json:"auditLogEnabled"`
	AuditLogEnabledCurrent   bool   `json:"auditLogEnabledCurrent"`
	AuditLogEnabledTimestamp int64  `json:"auditLogEnabledTimestamp"`
	HasSupportAccess         bool   `json:"hasSupportAccess"`
	UseAIBIUserInterface     bool   `json:"useAIBIUserInterface"`
	MaintenanceWindowEnabled bool   `json:"maintenanceWindowEnabled"`
	MaintenanceWindowDay     string `json:"maintenanceWindowDay"`
	MaintenanceWindowTime    string `json:"maintenanceWindowTime"`
	OIDCEnabled              bool   `json:"oidcEnabled"`
}

// SettingsInput is the body of a settings write; null sets a field to its zero value.
type SettingsInput struct {
	AuditLogEnabled          placements.Optional[bool]
	AuditLogEnabledCurrent   placements.Optional[bool]
	AuditLogEnabledTimestamp placements.Optional[int64]
	HasSupportAccess         placements.Optional[bool]
	UseAIBIUserInterface     placements.Optional[bool]
	MaintenanceWindowEnabled placements.Optional[bool]
	MaintenanceWindowDay     placements.Optional[string]
	MaintenanceWindowTime    placements.Optional[string]
	OIDCEnabled              placements.Optional[bool]
}
