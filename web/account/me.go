package account

import (
	"cmp"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/gate"
)

// me is what a token may do, and for whom.
type me struct {
	Tenant      string         `json:"tenant"`
	User        meUser         `json:"user"`
	Deployments []meDeployment `json:"deployments"`
	Actions     []string       `json:"actions"` // of the token itself, in every one of the deployments
	Bound       []string       `json:"bound,omitzero"`
	ExpiresAt   string         `json:"expiresAt"`
	DeviceID    string         `json:"deviceId,omitempty"`
	CSRF        string         `json:"csrf,omitempty"` // of a session
}

type meUser struct {
	ID    int64  `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

type meDeployment struct {
	ID       int64    `json:"id"`
	Actions  []string `json:"actions"`
	Timezone string   `json:"timezone"` // IANA, of the configuration
}

// shownMe is what a caller may do in the deployments that a gate serves, and their time zones as an engine knows them.
func shownMe(g *gate.Gate, engine *refresh.Engine, caller *auth.Caller) me {
	out := me{
		Tenant: caller.Tenant, User: meUser{caller.ID, cmp.Or(caller.Email, caller.Shown), caller.Name}, Deployments: []meDeployment{},
		Actions: append([]string{}, caller.Actions...), Bound: caller.Bound, ExpiresAt: placements.Time(caller.Expires),
		DeviceID: caller.Device, CSRF: caller.CSRF,
	}
	for _, id := range g.Deployments(caller.Tenant) {
		if caller.InDeployment(id) {
			out.Deployments = append(out.Deployments, meDeployment{id, out.Actions, engine.Timezone(record.Deployment{Tenant: caller.Tenant, ID: id})})
		}
	}
	return out
}
