package files_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
)

const benchRows = 100_000

// sale is a row as that of BenchmarkSQLite.
type sale struct {
	ID       int64     `parquet:"id"`
	At       time.Time `parquet:"at,timestamp(microsecond:local)"`
	Day      int32     `parquet:"day,date"`
	Customer string    `parquet:"customer"`
	City     string    `parquet:"city,dict"`
	Amount   int64     `parquet:"amount,decimal(2:18)"`
	Tax      float64   `parquet:"tax"`
	Paid     bool      `parquet:"paid"`
	Note     *string   `parquet:"note,optional"`
	N        int32     `parquet:"n"`
}

// BenchmarkFiles reads a table of 10 columns in each of the formats.
func BenchmarkFiles(b *testing.B) {
	dir := b.TempDir()
	var csv, lines strings.Builder
	csv.WriteString("id,at,day,customer,city,amount,tax,paid,note,n\n")
	rows := make([]sale, benchRows)
	for i := range rows {
		rows[i] = sale{
			ID: int64(i), At: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC), Day: 19849, Customer: fmt.Sprint("customer number ", i), City: fmt.Sprint("city ", i%100),
			Amount: int64(i) * 125, Tax: float64(i) / 7, Paid: i%2 == 1, N: int32(i % 10),
		}
		r := rows[i]
		amount := fmt.Sprintf("%d.%02d", r.Amount/100, r.Amount%100)
		fmt.Fprintf(&csv, "%d,2024-05-06 07:08:09,2024-05-06,%s,%s,%s,%v,%v,,%d\n", r.ID, r.Customer, r.City, amount, r.Tax, r.Paid, r.N)
		fmt.Fprintf(&lines, `{"id":%d,"at":"2024-05-06 07:08:09","day":"2024-05-06","customer":%q,"city":%q,"amount":%s,"tax":%v,"paid":%v,"note":null,"n":%d}`+"\n",
			r.ID, r.Customer, r.City, amount, r.Tax, r.Paid, r.N)
	}
	writeFiles(b, dir, map[string]string{"c.csv": csv.String(), "j.jsonl": lines.String()})
	writeParquet(b, filepath.Join(dir, "p.parquet"), rows...)
	src := open(b, dir)
	for _, table := range []string{"c", "j", "p"} {
		b.Run(table, func(b *testing.B) {
			for b.Loop() {
				if _, grid := sourcetest.Table(b, src, source.Query{SQL: "SELECT * FROM " + table}); grid.Rows() != benchRows+1 {
					b.Fatalf("%d rows", grid.Rows())
				}
			}
			b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
