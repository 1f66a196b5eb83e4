package sqlite_test

import (
	"context"
	"database/sql"
	"testing"

	"mooring/checksum"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
	"mooring/refresh/source/sqlite"
)

const benchRows = 100_000

// BenchmarkSQLite reads a table of 10 columns, and the same table by database/sql for comparison.
func BenchmarkSQLite(b *testing.B) {
	path := sqliteFile(b, `
		CREATE TABLE sales (id INTEGER, at DATETIME, day DATE, customer TEXT, city TEXT, amount DECIMAL(10,2), tax REAL, paid BOOLEAN, note TEXT, n INTEGER);
		WITH RECURSIVE s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i < 100000)
		INSERT INTO sales SELECT i, '2024-05-06 07:08:09', '2024-05-06', 'customer number ' || i, 'city ' || i % 100, i * 1.25, i / 7.0, i % 2, NULL, i % 10 FROM s`)
	const query = "SELECT * FROM sales"
	b.Run("source", func(b *testing.B) {
		src := sourcetest.Open(b, &sqlite.Config{Path: path})
		for b.Loop() {
			if _, grid := sourcetest.Table(b, src, source.Query{SQL: query}); grid.Rows() != benchRows+1 {
				b.Fatalf("%d rows", grid.Rows())
			}
		}
		b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("database-sql", func(b *testing.B) {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		for b.Loop() {
			if err := scanAll(db, query); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}

// scanAll reads every value and keeps none.
func scanAll(db *sql.DB, query string) error {
	rows, err := db.Query(query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// BenchmarkSQLiteSmallQuery is mostly the cost of opening the file for each query.
func BenchmarkSQLiteSmallQuery(b *testing.B) {
	src := sourcetest.Open(b, &sqlite.Config{Path: sqliteFile(b, oneLabel)})
	for b.Loop() {
		var built checksum.Builder
		if _, err := src.Query(context.Background(), source.Query{SQL: "SELECT * FROM labels"}, &built); err != nil {
			b.Fatal(err)
		}
	}
}
