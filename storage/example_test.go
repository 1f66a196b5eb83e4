package storage_test

import (
	"context"
	"fmt"
	"log/slog"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// The first upsert of a publicId creates a report, the same upsert again changes nothing.
func ExampleReports_Upsert() {
	ctx := context.Background()
	s, err := storage.Open(ctx, storage.Config{Log: slog.New(slog.DiscardHandler)}) // inside this process
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	shop, ada := record.Deployment{Tenant: "acme", ID: 1}, record.Actor{ID: 7}
	in := record.ReportInput{Name: placements.Sent("Sales"), SQLQuery: placements.Sent("SELECT 1")}
	for range 2 {
		r, err := s.Reports().Upsert(ctx, shop, "SalesReport1", in, ada, func(*storage.Report) error { return nil })
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.ID, r.Version, r.Effect)
	}
	// Output:
	// 1 1 created
	// 1 1 unchanged
}
