package keys

import "strings"

// Backup says what a backup of a tenant does with a key.
type Backup int

// What is done with a key.
const (
	Whole    Backup = iota // it is kept as it is, and so is every key that nothing else is said of
	LeftOut                // it is of a moment that is over: a lock, a bucket, an answer, what was under way
	Index                  // it is made anew of what is kept
	Counter                // a hash that counts up, and never goes back over what the storage that is restored has given out
	Merged                 // it is merged with that of the storage that is restored: what was revoked stays so, and no key is unknown
	SignedIn               // a device: its tokens are revoked
)

// tenantBackup lists what the names of a tenant's keys begin with, behind its prefix, that are not kept as they are.
var tenantBackup = []struct {
	prefix string
	is     Backup
}{
	{"lock:", LeftOut},
	{"rate:", LeftOut},        // how fast a token sends requests
	{"idempotency:", LeftOut}, // answers of 24 hours to requests that changed something that may not be there
	{"keptAnswers:", LeftOut},
	{"plansKept", LeftOut}, // sizes of plans that are left out
	{"devices:", LeftOut},
	{"looks", LeftOut},
	{"device:", SignedIn},
	{"revoked", Merged},
	{"keys", Merged}, // that people have made: they are good by their signatures
	{"users", Counter},
}

// deploymentBackup is the same of a deployment's keys.
var deploymentBackup = []struct {
	prefix string
	is     Backup
}{
	{"lock:", LeftOut},
	{"audit:use:", LeftOut}, // of an hour
	{"arrival:", LeftOut},   // of a day: told again, data that has arrived runs its schedules again
	{"plan:", LeftOut},      // plans that wait to be applied: made of what was then
	{"plans:", LeftOut},
	{"runs:", Index},
	{"standing", Index},
	{"placed:", Index},
	{"documents", Index},
	{"ids", Counter},
}

// BackupOf returns what a backup does with a key of a tenant, by its name behind the tenant's prefix.
func BackupOf(name string) Backup {
	deployment, inside := strings.CutPrefix(name, "d:")
	if !inside {
		for _, row := range tenantBackup {
			if strings.HasPrefix(name, row.prefix) {
				return row.is
			}
		}
		return Whole
	}
	_, rest, _ := strings.Cut(deployment, ":")
	for _, row := range deploymentBackup {
		if strings.HasPrefix(rest, row.prefix) {
			return row.is
		}
	}
	if underWay(rest) {
		return LeftOut
	}
	return Whole
}

// underWay reports whether a key of a deployment is of runs that have not ended.
func underWay(name string) bool {
	kind, rest, _ := strings.Cut(name, ":")
	_, part, _ := strings.Cut(rest, ":") // of a run, whose id may have a colon, more
	switch kind {
	case "report":
		return part == "active"
	case "schedule":
		return part == "waiting"
	case "probe":
		return part == "lease"
	case "run":
		return strings.HasSuffix(part, "plan")
	}
	return false
}

// DeploymentOf returns the id of the deployment in the name of a key behind its tenant's prefix; empty for what is of none.
func DeploymentOf(name string) string {
	rest, inside := strings.CutPrefix(name, "d:")
	if !inside {
		return ""
	}
	id, _, _ := strings.Cut(rest, ":")
	return id
}
