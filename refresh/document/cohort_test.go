package document

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"mooring/refresh/site"
)

// A document waits for the members of a cohort that have not said where they will write, and for those that will write there, whatever they do
// in whatever order.
func TestADocumentWaitsForThoseWhoWillWriteThere(t *testing.T) {
	docs := []site.Ref{{ID: "a"}, {ID: "b"}}
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			members := NewCohort(1 + random.IntN(4))
			gathered := make([]bool, len(docs))
			for i, ref := range docs {
				go func() {
					members[0].cohort.gathered(t.Context(), ref)
					gathered[i] = true
				}()
			}
			will := make([][]site.Ref, len(members)) // the model: nil for one that has not said, empty for one that is ready
			complete := func(ref site.Ref) bool {
				for _, refs := range will {
					for _, other := range refs {
						if other == ref {
							return false
						}
					}
					if refs == nil {
						return false
					}
				}
				return true
			}
			done := make([]bool, len(docs)) // once is enough: who comes later is of the next batch
			for ready := 0; ready < len(members); {
				i := random.IntN(len(members))
				switch {
				case will[i] == nil && random.IntN(3) > 0:
					will[i] = docs[random.IntN(len(docs)):]
					members[i].Announce(will[i])
				case will[i] == nil || len(will[i]) > 0:
					will[i] = []site.Ref{}
					members[i].Ready()
					ready++
				}
				synctest.Wait()
				for n, ref := range docs {
					if done[n] = done[n] || complete(ref); gathered[n] != done[n] {
						t.Fatalf("seed %d: %s is gathered: %t, want %t", seed, ref.ID, gathered[n], done[n])
					}
				}
			}
		})
	}
}
