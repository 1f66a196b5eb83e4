package account

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/gate"
	"mooring/web/request"
)

// devices signs devices in and out.
type devices struct {
	store *storage.Store
	gate  *gate.Gate
	now   func() time.Time
}

// device is a device that is signed in, as its owner sees it.
type device struct {
	ID          string   `json:"id"`
	ClientName  string   `json:"clientName"`
	Address     string   `json:"address"`
	Deployments []int64  `json:"deployments"`
	Actions     []string `json:"actions"`
	Bound       []string `json:"bound,omitzero"`
	ApprovedAt  string   `json:"approvedAt"`
	UsedAt      string   `json:"usedAt"`
	ExpiresAt   string   `json:"expiresAt"`
}

// list answers with the caller's devices, those approved last first; a device that asks sees itself alone.
func (d *devices) list(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	caller := c.Caller
	list, err := d.store.Tenants().Devices(ctx, caller.Tenant, caller.Identity())
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(d *record.Device) bool { return !caller.SeesDevice(d.ID) })
	slices.SortFunc(list, func(a, b *record.Device) int {
		return cmp.Or(b.Approved.Compare(a.Approved), strings.Compare(a.ID, b.ID))
	})
	if after := c.Query("after"); after != "" {
		at := slices.IndexFunc(list, func(d *record.Device) bool { return d.ID == after })
		if at < 0 {
			return nil, placements.Errorf(placements.CodeCursor, "after is not a cursor of this list, or its device is gone: begin again without it.")
		}
		list = list[at+1:]
	}
	page, end := list[:min(first, len(list))], ""
	if n := len(page); n > 0 {
		end = page[n-1].ID
	}
	return request.EncodedPage(page, len(list) > first, end, func(d *record.Device) ([]byte, error) {
		return record.EncodeBytes(device{
			d.ID, d.ClientName, d.Address, d.Deployments, d.Actions, d.Bound,
			placements.Time(d.Approved), placements.Time(d.Used), placements.Time(d.Expires),
		})
	})
}

// end signs one of the caller's devices out; a device that asks, itself alone.
func (d *devices) end(ctx context.Context, c *request.Call) (any, error) {
	caller := c.Caller
	one, found, err := d.store.Tenants().Device(ctx, caller.Tenant, c.Param("deviceId"))
	if err != nil {
		return nil, err
	}
	if !found || one.Owner != caller.Identity() || !caller.SeesDevice(one.ID) {
		return nil, request.NotFound("device")
	}
	if err := d.store.Tenants().EndDevice(ctx, one.Owner, one, caller.Actor); err != nil {
		return nil, err
	}
	return map[string]any{"id": one.ID}, nil
}
