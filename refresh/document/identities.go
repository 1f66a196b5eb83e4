package document

import (
	"sync"

	"mooring/refresh/fault"
	"mooring/refresh/host"
)

// identities are what documents say of themselves, as they were last seen. It is safe for concurrent use.
type identities struct {
	mu sync.Mutex
	of map[fault.Callee]host.Identity
}

func (i *identities) get(of fault.Callee) host.Identity {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.of[of]
}

func (i *identities) put(of fault.Callee, is host.Identity) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.of == nil || len(i.of) >= maxIdentities {
		i.of = map[fault.Callee]host.Identity{}
	}
	i.of[of] = is
}

// maxIdentities bounds them: what is forgotten is looked up again.
const maxIdentities = 10_000
