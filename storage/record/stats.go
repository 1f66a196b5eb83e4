package record

import (
	"math"
	"slices"
	"time"
)

// Stats is what the lists of a deployment's runs and schedules hold: each number is the length of one.
type Stats struct {
	Since, Until time.Time // of the window; Since begins an hour
	Runs         RunCounts // made in the window
	Schedules    ScheduleCounts
	Hours        []HourStats // of the window, the present one last
}

// RunCounts counts runs.
type RunCounts struct {
	Total      int64 `json:"total"`
	Succeeded  int64 `json:"succeeded"`
	Failed     int64 `json:"failed"`
	Conflict   int64 `json:"conflict"` // of Failed
	Skipped    int64 `json:"skipped"`
	Superseded int64 `json:"superseded"`
}

// ScheduleCounts counts schedules.
type ScheduleCounts struct {
	Total  int64 `json:"total"`
	Paused int64 `json:"paused"`
}

// HourStats is what became of the runs that were made in an hour.
type HourStats struct {
	From                       time.Time
	Succeeded, Failed, Skipped int64
	Lateness                   Lateness
}

// Lateness of all hours together.
func (s *Stats) Lateness() Lateness {
	all := Lateness{}
	for _, hour := range s.Hours {
		for bucket, n := range hour.Lateness {
			all[bucket] += n
		}
	}
	return all
}

// Lateness counts, by LatenessBucket, how long after they were due runs of schedules began.
type Lateness map[int]int64

// bucketGrowth is how much longer the longest time of a bucket is than its shortest.
const bucketGrowth = 1.1

// LatenessBucket returns the bucket of a time: 0 for less than a millisecond, and from 1 on buckets that are 10 % wide.
func LatenessBucket(late time.Duration) int {
	ms := late.Milliseconds()
	if ms < 1 {
		return 0
	}
	return 1 + int(math.Log(float64(ms))/math.Log(bucketGrowth))
}

// Quantile returns the time, in ms and up to 10 % too long, that a share of the runs did not exceed; nil without any run.
func (l Lateness) Quantile(share float64) *int64 {
	var count, seen int64
	buckets := make([]int, 0, len(l))
	for bucket, n := range l {
		buckets, count = append(buckets, bucket), count+n
	}
	slices.Sort(buckets)
	for _, bucket := range buckets {
		if seen += l[bucket]; float64(seen) >= share*float64(count) {
			longest := int64(math.Ceil(math.Pow(bucketGrowth, float64(bucket)))) - 1
			return &longest
		}
	}
	return nil
}
