package access

import (
	"log/slog"

	"mooring/storage/record"
	"mooring/web/request"
)

// unreadable is the asset of a record that cannot be read, as a list shows it.
type unreadable struct {
	ID           int64  `json:"id"`
	DeploymentID int64  `json:"deploymentId"`
	Type         string `json:"type"`
	Error        string `json:"error"`
}

// Unreadable shows that an asset is there, and logs why it cannot be read.
func Unreadable(log *slog.Logger, c *request.Call, kind string, id int64, err error) ([]byte, error) {
	log.Error("record cannot be read",
		"request", c.ID, "tenant", c.Caller.Tenant, "deployment", c.At.ID, "type", kind, "id", id, "error", err)
	const message = "The stored record cannot be read: restore it from a backup. The log of the service has the cause."
	return record.EncodeBytes(unreadable{id, c.At.ID, kind, message})
}
