package storage_test

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// benchBody is a report of the size that people write.
func benchBody(n int64) record.ReportInput {
	in := named("Sales "+strconv.FormatInt(n, 10), "select region, sum(amount) from sales group by region -- "+strings.Repeat("x", 400))
	in.Meta = raw(`{"chart":{"kind":"bar","stacked":true},"columns":["region","amount"]}`)
	return in
}

// BenchmarkReport compares what a request costs with the bare command it comes down to: one EVAL that writes a value of the same size, one HGETALL.
func BenchmarkReport(b *testing.B) {
	s := storagetest.Open(b, storagetest.Redis(b))
	var n atomic.Int64
	ids := make([]int64, 100)
	for i := range ids {
		r, err := s.Reports().Upsert(b.Context(), shop, benchID(int64(i)), benchBody(0), ada, anyone)
		if err != nil {
			b.Fatal(err)
		}
		ids[i] = r.ID
	}
	definition := s.Client().HGet(b.Context(), s.ReportKey(shop, ids[0]), "definition").Val()
	plain := redis.NewScript(`return redis.call('HSET', KEYS[1], 'definition', ARGV[1])`)

	run := func(name string, one func(i int64) error) {
		b.Run(name, func(b *testing.B) {
			b.SetParallelism(25) // of 2: 50 connections
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := one(n.Add(1)); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
	run("eval", func(i int64) error {
		return plain.Run(b.Context(), s.Client(), []string{"mooring:bench:" + strconv.FormatInt(i%100, 10)}, definition).Err()
	})
	run("upsert that changes", func(i int64) error {
		_, err := s.Reports().Upsert(b.Context(), shop, benchID(i%100), benchBody(i), ada, anyone)
		return err
	})
	run("upsert that changes nothing", func(i int64) error {
		_, err := s.Reports().Upsert(b.Context(), shop, benchID(i%100), record.ReportInput{Title: placements.Sent("")}, ada, anyone)
		return err
	})
	run("hgetall", func(i int64) error {
		return s.Client().HGetAll(b.Context(), s.ReportKey(shop, ids[i%100])).Err()
	})
	run("get", func(i int64) error {
		_, err := s.Reports().Get(b.Context(), shop, ids[i%100])
		return err
	})
}

func benchID(i int64) string { return "Bench" + strconv.FormatInt(1_000_000+i, 10) }
