package refresh

import (
	"context"
	"maps"
	"math"
	"slices"

	"mooring/placements"
	"mooring/refresh/host"
)

// QuotaUse is how much of a quota of a host's account is left.
type QuotaUse struct {
	host.Quota
	Host placements.Host
	Left int // requests that can be made now; an account may be shared with other tenants
}

// Quotas returns the quotas that the spreadsheet hosts of a tenant have, host by host.
func (e *Engine) Quotas(ctx context.Context, tenant string) ([]QuotaUse, error) {
	var list []QuotaUse
	var accounts []string
	hosts := e.tenants[tenant].Hosts
	for _, kind := range slices.Sorted(maps.Keys(hosts)) {
		limited, ok := hosts[kind].(host.Limited)
		if !ok {
			continue
		}
		for _, q := range limited.Quotas() {
			if q.PerMinute > 0 {
				list, accounts = append(list, QuotaUse{Quota: q, Host: kind}), append(accounts, q.Account)
			}
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	used, err := e.queue.QuotasUsed(ctx, accounts...)
	if err != nil {
		return nil, err
	}
	for i, part := range used {
		list[i].Left = int(math.Floor(float64(list[i].PerMinute)*(1-part) + 1e-9))
	}
	return list, nil
}
