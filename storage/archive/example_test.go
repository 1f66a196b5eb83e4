package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"mooring/storage/archive"
	"mooring/storage/backup"
	"mooring/storage/redis"
)

// A file is loaded under the keys of the partitions that the storage has, whatever those were of which it was made.
func Example() {
	ctx := context.Background()
	server, err := redis.StartEmbedded("", slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := server.Client()
	defer client.Close()

	var file bytes.Buffer
	w, err := backup.NewWriter(&file, backup.Header{Layout: 3, Version: "v1", Partitions: 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = errors.Join(
		w.Tenant("acme"),
		w.Piece(backup.Piece{Key: "d:1:report:7", Kind: backup.Hash, First: true, Items: []string{"publicId", "Sales0000001"}}),
		w.Piece(backup.Piece{Key: "d:1:lock:report:7", Kind: backup.String, First: true, Items: []string{"left out"}}),
		w.Tail(backup.Counts{Reports: 1}), w.Close(),
	)
	loader := archive.NewLoader(ctx, client, 2, time.Now(), func(tenant string, c backup.Counts) { fmt.Println(tenant, c.Reports) })
	_, err2 := backup.Read(bytes.NewReader(file.Bytes()), int64(file.Len()), loader)
	fmt.Println(client.Keys(ctx, "*").Val(), err, err2)
	// Output:
	// acme 1
	// [mooring:{p01}:t:acme:d:1:report:7] <nil> <nil>
}
