//go:build unix

package sourcetest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	s := &Postgres{Port: freePort(t), Dir: dir}
	as := postgresUser(t)
	passwordFile := filepath.Join(dir, "password")
	if err := os.WriteFile(passwordFile, []byte(password), 0o600); err != nil {
		t.Fatal(err)
	}
	if as != nil {
		for _, path := range []string{dir, passwordFile} {
			if err := os.Chown(path, int(as.Uid), int(as.Gid)); err != nil {
				t.Fatal(err)
			}
		}
	}
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
	s.run(t, server)
	return s
}

// run starts the server, returns once it is ready, and stops it with the test.
func (s *Postgres) run(t *testing.T, server *exec.Cmd) {
	t.Helper()
	log, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ready, said := make(chan bool, 1), new(strings.Builder)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if strings.Contains(lines.Text(), "ready to accept connections") {
				ready <- true
				continue
			}
			fmt.Fprintln(said, lines.Text())
		}
		ready <- false
	}()
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGINT) // fast shutdown
		<-drained
		_ = server.Wait()
	})
	if !<-ready {
		t.Fatalf("the server does not start:\n%s", said)
	}
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

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// postgresUser is whom to run the server as: PostgreSQL refuses to run as root.
func postgresUser(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	t.Fatal("running as root, and there is no user to run PostgreSQL as")
	return nil
}

// freePort is a port of the loopback interface without a listener.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
