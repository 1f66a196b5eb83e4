package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	_ "modernc.org/sqlite" // the driver that writes; a Source has its own connection, which cannot
)

// Exec runs statements in one transaction on an SQLite file, and makes the file if there is none. It is for sample data:
// what a Source opens it never writes. args are the arguments of each statement, nil for none.
func Exec(ctx context.Context, path string, statements []string, args [][]any) (err error) {
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path}).String())
	if err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	for i, statement := range statements {
		var with []any
		if i < len(args) {
			with = args[i]
		}
		if _, err := tx.ExecContext(ctx, statement, with...); err != nil {
			return errors.Join(fmt.Errorf("sqlite: %w", err), tx.Rollback())
		}
	}
	return tx.Commit()
}
