package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/members"
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
	bind.OptionalText(o, "maintenanceWindowDay", &b.MaintenanceWindowDay, members.MaxName)
	bind.OptionalText(o, "maintenanceWindowTime", &b.MaintenanceWindowTime, members.MaxName)
	o.OptionalFlag("oidcEnabled", &b.OIDCEnabled)
}

// getSettings answers with the tenant's settings (interface.md, Read tenant settings); any valid token reads them.
func (s *Server) getSettings(c *gin.Context) error {
	settings, err := s.store.Tenants().Settings(c.Request.Context(), current(c).Caller.Tenant)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, settings)
	return nil
}

// putSettings writes the settings sent; it needs the action All, for every deployment.
func (s *Server) putSettings(c *gin.Context) error {
	caller := current(c).Caller
	switch {
	case !caller.IsAdmin():
		return placements.Errorf(placements.CodeForbidden,
			"Writing the settings of a tenant needs the action All in the token itself: ask for a token with it.")
	case !caller.ManagesAccount():
		return placements.Errorf(placements.CodeForbidden,
			"This token is for some deployments only, and the settings are those of all: ask for a token with the action All for every deployment.")
	}
	var in settingsInput
	if err := s.read(c, &in); err != nil {
		return err
	}
	before, settings, err := s.store.Tenants().UpdateSettings(c.Request.Context(), caller.Tenant, in.SettingsInput, caller.Actor)
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

// pairing is a device that wants to be signed in, as the person sees it.
type pairing struct {
	UserCode    string              `json:"userCode"`
	State       record.PairingState `json:"state"`
	ClientName  string              `json:"clientName"`
	Address     string              `json:"address"`
	RequestedAt string              `json:"requestedAt"`
	ExpiresAt   string              `json:"expiresAt"`
}

func shownPairing(p *record.Pairing) pairing {
	return pairing{
		auth.ShownUserCode(p.UserCode), p.State, p.ClientName, p.Address, placements.Time(p.Requested), placements.Time(p.Expires),
	}
}

// decisionsPerMinute is how many user codes a caller may ask for: too few to find one by guessing.
const decisionsPerMinute = 10

// mayDecide refuses a caller whose token decides on no devices.
func mayDecide(caller *auth.Caller) error {
	if caller.Personal() {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"This token is of a device that was paired, or bounded by --only, and decides on no devices: sign in with a key of your own.")
}

// findPairing returns the pairing of the path's user code, on which only a personal token decides.
func (s *Server) findPairing(c *gin.Context) (*record.Pairing, error) {
	caller := current(c).Caller
	if err := mayDecide(caller); err != nil {
		return nil, err
	}
	rate := record.Rate{PerSecond: decisionsPerMinute / time.Minute.Seconds(), Burst: decisionsPerMinute}
	taken, err := s.store.Tenants().TakeRequest(c.Request.Context(), caller.Tenant, "codes of "+caller.Identity(), rate)
	if err != nil {
		return nil, err
	}
	if taken.Wait > 0 {
		e := placements.Errorf(placements.CodeRateLimited, "You may look at %d codes a minute: wait as Retry-After says.", decisionsPerMinute)
		e.RetryAfter = taken.Wait
		return nil, e
	}
	p, found, err := s.rules.Load().pairing.Find(c.Request.Context(), caller, c.Param("userCode"), s.now())
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, noPairing()
	}
	return p, nil
}

func noPairing() error {
	return placements.Errorf(placements.CodeNotFound,
		"No device waits with this code: it may be mistyped, used or older than 10 minutes. Let the device show a new one.")
}

// getPairing answers with the device that shows a code.
func (s *Server) getPairing(c *gin.Context) error {
	p, err := s.findPairing(c)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, shownPairing(p))
	return nil
}

// approvalInput is what a device may do.
type approvalInput struct{ auth.Grant }

// The most of each, so that a token fits into a header.
const (
	maxDeployments = 1000
	maxActions     = 100
)

func (b *approvalInput) members(o *bind.Object) {
	o.Required("deployments", "actions")
	o.WholeList("deployments", &b.Deployments, 1, maxDeployments, 1)
	o.List("actions", &b.Actions, 0, maxActions, members.MaxName)
	o.List("bound", &b.Bound, 0, maxActions, members.MaxName)
}

// approvePairing lets a device act on the caller's behalf.
func (s *Server) approvePairing(c *gin.Context) error {
	in := new(approvalInput)
	if err := s.read(c, in); err != nil {
		return err
	}
	caller := current(c).Caller
	if err := mayDecide(caller); err != nil {
		return err
	}
	if err := caller.Grants(in.Grant); err != nil {
		return placements.Errorf(placements.CodeForbidden, "Your own token has not %v: grant what it has.", err)
	}
	return s.decide(c, func(p *record.Pairing) (bool, error) {
		return s.rules.Load().pairing.Approve(c.Request.Context(), caller, p, in.Grant, s.now())
	})
}

// denyPairing refuses a device.
func (s *Server) denyPairing(c *gin.Context) error {
	return s.decide(c, func(p *record.Pairing) (bool, error) { return s.rules.Load().pairing.Deny(c.Request.Context(), p) })
}

// decide decides on the path's pairing, unless another decision came first.
func (s *Server) decide(c *gin.Context, how func(*record.Pairing) (bool, error)) error {
	p, err := s.findPairing(c)
	if err != nil {
		return err
	}
	decided, err := how(p)
	if err != nil {
		return err
	}
	if !decided {
		return noPairing()
	}
	c.JSON(http.StatusOK, shownPairing(p))
	return nil
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

// listDevices answers with the caller's devices, those approved last first; a device that asks sees itself alone.
func (s *Server) listDevices(c *gin.Context) error {
	first, err := pageSize(c)
	if err != nil {
		return err
	}
	caller := current(c).Caller
	list, err := s.store.Tenants().Devices(c.Request.Context(), caller.Tenant, caller.Identity())
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(d *record.Device) bool { return !caller.SeesDevice(d.ID) })
	slices.SortFunc(list, func(a, b *record.Device) int {
		return cmp.Or(b.Approved.Compare(a.Approved), strings.Compare(a.ID, b.ID))
	})
	if after := c.Query("after"); after != "" {
		at := slices.IndexFunc(list, func(d *record.Device) bool { return d.ID == after })
		if at < 0 {
			return placements.Errorf(placements.CodeCursor, "after is not a cursor of this list, or its device is gone: begin again without it.")
		}
		list = list[at+1:]
	}
	page := record.Page[*record.Device]{Items: list[:min(first, len(list))], HasNextPage: len(list) > first}
	if n := len(page.Items); n > 0 {
		page.EndCursor = page.Items[n-1].ID
	}
	return answerPage(c, page, func(d *record.Device) ([]byte, error) {
		return encode(device{
			d.ID, d.ClientName, d.Address, d.Deployments, d.Actions, d.Bound,
			placements.Time(d.Approved), placements.Time(d.Used), placements.Time(d.Expires),
		})
	})
}

// endDevice signs one of the caller's devices out; a device that asks, itself alone.
func (s *Server) endDevice(c *gin.Context) error {
	caller := current(c).Caller
	d, found, err := s.store.Tenants().Device(c.Request.Context(), caller.Tenant, c.Param("deviceId"))
	if err != nil {
		return err
	}
	if !found || d.Owner != caller.Identity() || !caller.SeesDevice(d.ID) {
		return notFound("device")
	}
	if err := s.store.Tenants().EndDevice(c.Request.Context(), d.Owner, d, caller.Actor); err != nil {
		return err
	}
	c.JSON(http.StatusOK, gin.H{"id": d.ID})
	return nil
}
