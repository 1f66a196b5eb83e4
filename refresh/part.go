package refresh

import (
	"cmp"
	"context"
	"slices"

	"mooring/checksum"
	"mooring/refresh/host"
)

// parts divides blocks into those that are read and written together: all of them, unless what is read takes more than limit bytes. The
// newest come first then: a block that would grow into the cells of a newer one finds these taken.
func parts(blocks []*block, limit int) (list [][]*block) {
	total := 0
	for _, b := range blocks {
		total += b.reads()
	}
	if total > limit {
		slices.SortStableFunc(blocks, func(a, b *block) int { return cmp.Compare(b.now.Claim, a.now.Claim) })
	}
	for taken := 0; len(blocks) > 0; {
		n := 0
		for n < len(blocks) && (n == 0 || taken+blocks[n].reads() <= limit) {
			taken += blocks[n].reads()
			n++
		}
		list = append(list, blocks[:n])
		blocks, taken = blocks[n:], 0
	}
	return list
}

// writeParts makes blocks of a document show their tables, part by part.
func (b *batch) writeParts(lease context.Context, s host.Session, blocks []*block, has checksum.Means) error {
	for _, part := range parts(blocks, b.rooms.runs.part) {
		if err := b.writePart(lease, s, part, has); err != nil {
			return err
		}
	}
	return nil
}

// writePart reads, plans and writes some of a batch's blocks, once there is memory for what is read.
func (b *batch) writePart(lease context.Context, s host.Session, part []*block, has checksum.Means) error {
	bytes := 0
	for _, one := range part {
		bytes += one.reads()
		one.job.attempt.limit.pause()
	}
	done, err := b.rooms.runs.write(lease, bytes)
	for _, one := range part {
		one.job.attempt.limit.goOn()
	}
	if err != nil {
		return err
	}
	defer b.rooms.runs.collect()
	defer done()
	found, err := find(lease, s, part, has)
	if err != nil {
		return err
	}
	b.documents.startWrite(jobsOf(part))
	writes := changed(found)
	planStatuses(writes, found)
	err = b.apply(lease, s, writes)
	for _, one := range part {
		one.forget()
	}
	return err
}

func jobsOf(blocks []*block) (jobs []*job) {
	for _, b := range blocks {
		if !slices.Contains(jobs, b.job) {
			jobs = append(jobs, b.job)
		}
	}
	return jobs
}
