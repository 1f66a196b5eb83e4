package site

import (
	"context"
	"math"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
)

// QuotaUse is how much of a quota of a host's account is left.
type QuotaUse struct {
	host.Quota
	Host         placements.Host
	Spreadsheets string // the name of the host
	Left         int    // requests that can be made now; an account may be shared with other tenants
}

// Quotas returns the quotas that the spreadsheet hosts of a tenant have, host by host.
func (s *Locator) Quotas(ctx context.Context, tenant string) ([]QuotaUse, error) {
	var list []QuotaUse
	var accounts []string
	for _, h := range s.Hosts[tenant] {
		limited, ok := h.Driver.(host.Limited)
		if !ok {
			continue
		}
		for _, q := range limited.Quotas() {
			if q.PerMinute > 0 {
				q.Account = h.budget(q.Account)
				list, accounts = append(list, QuotaUse{Quota: q, Host: h.Kind, Spreadsheets: h.Name}), append(accounts, q.Account)
			}
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	used, err := s.Queue.QuotasUsed(ctx, accounts...)
	if err != nil {
		return nil, err
	}
	for i, part := range used {
		list[i].Left = int(math.Floor(float64(list[i].PerMinute)*(1-part) + 1e-9))
	}
	return list, nil
}

// Limiter returns a limiter for s that shares its quotas out through all.
func (s *Provider) Limiter(all host.Limiter) host.Limiter { return budgets{s, all} }

// budgets is the Limiter of a spreadsheet host.
type budgets struct {
	of  *Provider
	all host.Limiter
}

// TakeQuota is host.Limiter's.
func (b budgets) TakeQuota(ctx context.Context, account string, perMinute, n int) (time.Duration, error) {
	return b.all.TakeQuota(ctx, b.of.budget(account), perMinute, n)
}
