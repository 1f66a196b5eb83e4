package storage

type Edit struct {
	ID            string
	Row, Column   int
	Name          string
	Yours, Source any
	Inserted      bool
	SeenAt        string
	Returned      bool
}
