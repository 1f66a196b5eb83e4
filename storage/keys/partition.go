package keys

import (
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"

	"mooring/storage/record"
)

// Partition makes the keys of one partition.
type Partition struct{ Prefix string }

// At returns the keys of a partition by its number, from 0.
func At(number int) Partition {
	text := strconv.Itoa(number)
	if len(text) == 1 {
		text = "0" + text
	}
	return Partition{"mooring:{p" + text + "}:"}
}

// Number is the partition in which a tenant's keys are, of that many.
func Number(tenant string, partitions int) int {
	h := fnv.New32a()
	h.Write([]byte(tenant))
	return int(h.Sum32() % uint32(partitions))
}

// Due ZSET: what must be looked at -> ms when. Its members are those of DueSchedule and DueRun.
func (k Partition) Due() string { return k.Prefix + "due" }

// Queue STREAM, group "agents": one entry an attempt.
func (k Partition) Queue() string { return k.Prefix + "runs" }

// Crowd STREAM, group "agents": as Queue, for the runs of deployments that have very many. Scripts make its name of that of Queue.
func (k Partition) Crowd() string { return k.Queue() + ":crowd" }

// Stage LIST, expires: what was sent of a large transaction of that id, one of whose keys is key.
func Stage(key, id string) string {
	prefix, _, _ := strings.Cut(key, "}:")
	return prefix + "}:stage:" + id
}

// TenantKeys makes the keys of one tenant.
type TenantKeys struct {
	Partition
	Name   string
	Prefix string
}

// OfTenant returns the keys of a tenant of a storage with that many partitions.
func OfTenant(name string, partitions int) TenantKeys {
	// Escaped, since a colon in a name could make one tenant's keys look like another's.
	p := At(Number(name, partitions))
	return TenantKeys{p, name, p.Prefix + "t:" + url.QueryEscape(name) + ":"}
}

// DocumentLock STRING, expires: the token of who writes to a spreadsheet.
func (k TenantKeys) DocumentLock(id string) string { return k.Prefix + "lock:doc:" + id }

// DocumentTurn ZSET, expires: the agents that waited while an add-in had a spreadsheet, and are to have it before the next one -> until when.
func (k TenantKeys) DocumentTurn(id string) string { return k.Prefix + "lock:turn:" + id }

// LockOwner is what stands in the token of a document's lock before the name of its owner.
const LockOwner = " "

// DeploymentKeys makes the keys of one deployment.
type DeploymentKeys struct {
	TenantKeys
	ID     int64
	Prefix string
}

// Of returns the keys of a deployment in a storage with that many partitions.
func Of(d record.Deployment, partitions int) DeploymentKeys {
	t := OfTenant(d.Tenant, partitions)
	return DeploymentKeys{t, d.ID, t.Prefix + "d:" + strconv.FormatInt(d.ID, 10) + ":"}
}
