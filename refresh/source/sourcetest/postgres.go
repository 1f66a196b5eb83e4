//go:build unix

package sourcetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Postgres is a PostgreSQL server of the test's own, with a superuser and a role that may only read the schema public.
type Postgres struct {
	Port int
	Dir  string // of its files
}

const (
	admin    = "admin"
	password = "open-sesame"
)

// StartPostgres starts a server on a free port of the loopback interface and ends it with the test. Without PostgreSQL the test is
// skipped, or fails if MOORING_TEST_REQUIRE is set.
func StartPostgres(t *testing.T) *Postgres {
	t.Helper()
	initdb, postgres := postgresPrograms(t)
	dir, err := os.MkdirTemp("", "mooring-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &Postgres{Port: FreePort(t), Dir: dir}
	as := serverUser(t, "postgres")
	passwordFile := filepath.Join(dir, "password")
	if err := os.WriteFile(passwordFile, []byte(password), 0o600); err != nil {
		t.Fatal(err)
	}
	giveTo(t, as, dir, passwordFile)
	data := filepath.Join(dir, "data")
	init := exec.Command(initdb, "-D", data, "-U", admin, "--pwfile", passwordFile, "-A", "scram-sha-256",
		"-E", "UTF8", "--no-locale", "--no-sync")
	init.Dir, init.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	server := exec.Command(postgres, "-D", data, "-p", strconv.Itoa(s.Port), "-k", dir,
		"-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=40")
	server.Dir, server.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	startServer(t, server, "ready to accept connections")
	return s
}

// URL is the address of a database for a role.
func (s *Postgres) URL(user, password, database string) string {
	return fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/%s?sslmode=disable", user, password, s.Port, database)
}

// Exec runs statements as the superuser and returns the last one's rows as text.
func (s *Postgres) Exec(t testing.TB, statements string) [][]string {
	t.Helper()
	conn, err := pgconn.Connect(context.Background(), s.URL(admin, password, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	results, err := conn.Exec(context.Background(), statements).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, row := range results[len(results)-1].Rows {
		var texts []string
		for _, value := range row {
			texts = append(texts, string(value))
		}
		rows = append(rows, texts)
	}
	return rows
}

func postgresPrograms(t *testing.T) (initdb, postgres string) {
	t.Helper()
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(dirs) // the newest first
	for _, dir := range append(dirs, filepath.SplitList(os.Getenv("PATH"))...) {
		initdb, postgres := filepath.Join(dir, "initdb"), filepath.Join(dir, "postgres")
		if executable(initdb) && executable(postgres) {
			return initdb, postgres
		}
	}
	if os.Getenv("MOORING_TEST_REQUIRE") != "" {
		t.Fatal("PostgreSQL is not installed")
	}
	t.Skip("PostgreSQL is not installed")
	return "", ""
}
