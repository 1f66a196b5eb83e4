package storage_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// clientRun begins, plans and ends a run of an add-in, and takes another one from it.
func clientRun(t *testing.T, w *work.Work, d record.Deployment, report int64) error {
	start := func() (*queue.Attempt, error) {
		run := &record.Run{ReportID: report, PlacementID: "p", ExternalWorkbookID: "book", Executor: record.ExecutorClient}
		a, _, err := w.StartClient(t.Context(), d, run, time.Hour)
		return a, err
	}
	a, err := start()
	if err != nil {
		return err
	}
	_, err = w.Queue.Clients.Renew(t.Context(), d, a.Run, 1, time.Hour)
	b, err2 := w.Queue.Clients.Resume(t.Context(), d, a.Run, 1)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	b.Run.State = placements.RunSucceeded
	err = w.KeepClientPlan(t.Context(), b, work.Outcome{}, "digest")
	o, err2 := w.ClientPlan(t.Context(), b, "digest")
	if err := errors.Join(err, err2, w.Complete(t.Context(), b, o)); err != nil {
		return err
	}
	if a, err = start(); err != nil {
		return err
	}
	_, err = w.Queue.Clients.Take(t.Context(), d, a.Run, true)
	return err
}

// everything does, for one tenant, something that touches every kind of key of this package's own.
func everything(t *testing.T, s *storage.Store, tenant string) {
	t.Helper()
	d := record.Deployment{Tenant: tenant, ID: 1}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", tenant, err)
		}
	}
	loose := create(t, s, d, named("loose", ""))
	_, err := s.Reports().Update(t.Context(), d, loose.ID, withPublicID(named("x", ""), another), ada, anyone)
	must(err)
	in := named("Sales", "select 1")
	in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent("S!A1")
	r := upsert(t, s, d, chosen, in)
	upsert(t, s, d, chosen, named("Renamed", ""))
	who := adaReads
	connected, err := s.Placements().Connect(t.Context(), d, r.ID, placements.Connection{ExternalWorkbookID: "book", ResultLocation: "S!C3"}, who, nil, false)
	must(err)
	_, _, err = s.Placements().Disconnect(t.Context(), d, r.ID, placements.Target{PlacementID: connected.Placement.ID}, who, nil, false)
	must(err)
	_, err = pageOf(9, s.Reports().List(t.Context(), d, record.ListQuery{First: 9, ExternalWorkbookID: "book"}, everyReport))
	must(err)
	w, err := s.Workbooks().Upsert(t.Context(), d, "sales", book("Sales", `{"dashboardDraft":{}}`), ada, anyWorkbook)
	must(err)
	_, err = s.Workbooks().Publish(t.Context(), d, w.ID, ada, anyWorkbook)
	must(err)
	_, err = s.Workbooks().UpdateDashboard(t.Context(), d, w.ID, json.RawMessage(`{"title":"x"}`), ada, anyWorkbook)
	must(err)
	_, _, err = s.Tenants().UpdateSettings(t.Context(), tenant, record.SettingsInput{OIDCEnabled: placements.Sent(true)}, ada)
	must(err)
	must(s.Tenants().Revoke(t.Context(), tenant, "jti", time.Now().Add(time.Hour), ada))
	_, err = s.Tenants().TakeRequest(t.Context(), tenant, "jti", record.Rate{PerSecond: 1, Burst: 1})
	must(err)
	_, err = s.Tenants().TakePairing(t.Context(), "192.0.2.1", record.Rate{PerSecond: 1, Burst: 9})
	must(err)
	_, err = s.Tenants().AddPairing(t.Context(), tenant, &record.Pairing{UserCode: tenant, Expires: time.Now().Add(time.Hour), State: record.PairingPending})
	must(err)
	pairing, _, err := s.Tenants().PairingOf(t.Context(), tenant)
	must(err)
	pairing.State = record.PairingApproved
	_, err = s.Tenants().SavePairing(t.Context(), pairing)
	must(err)
	_, err = s.Tenants().PendingPairings(t.Context())
	must(err)
	must(s.Tenants().AddDevice(t.Context(), "ada", &record.Device{ID: "D", Tenant: tenant, Expires: time.Now().Add(time.Hour)}))
	devices, err := s.Tenants().Devices(t.Context(), tenant, "ada")
	must(err)
	_, err = s.Tenants().SaveDevice(t.Context(), devices[0])
	must(err)
	must(s.Tenants().EndDevice(t.Context(), "ada", devices[0], ada))
	attempt, _, err := s.Tenants().BeginIdempotent(t.Context(), tenant, record.IdempotencyKey{Key: "key"}, nil)
	must(err)
	must(attempt.Finish(t.Context(), record.Response{Status: 200}))
	_, _, release, err := s.Work().LockDocument(t.Context(), tenant, "book")
	must(err)
	release()
	_, err = s.Placements().Connect(t.Context(), d, r.ID, placements.Connection{ExternalWorkbookID: "book", ResultLocation: "S!E5", PlacementID: "p"}, who, nil, false)
	must(err)
	must(clientRun(t, s.Work(), d, r.ID))
	must(s.Reports().Delete(t.Context(), d, r.ID, ada, anyone))
	must(s.Workbooks().Delete(t.Context(), d, w.ID, ada, anyWorkbook))
	if _, err := s.Reports().Get(t.Context(), d, loose.ID); err != nil {
		t.Errorf("%s: %v", tenant, err)
	}
}

// fires carries out the first ticks of schedules of several tenants in one call.
func fires(t *testing.T, s *storage.Store) {
	t.Helper()
	var list []record.Firing
	for i := range 8 {
		c := newClockwork(t, s, record.Deployment{Tenant: "fires" + strconv.Itoa(i), ID: 1}, "skip")
		list = append(list, c.firing(c.stored()))
	}
	made, err := s.Work().Queue.Ticks.Fire(t.Context(), list)
	if err != nil || slices.Contains(made, false) {
		t.Errorf("fired %t, %v, want all", made, err)
	}
}

func TestCluster(t *testing.T) {
	s := storagetest.Open(t, storagetest.Cluster(t))
	s.OnTwoSlots(func(problem string) { t.Error(problem) })
	fires(t, s)
	for i := range 24 { // enough tenants for every node to have some
		everything(t, s, "tenant"+strconv.Itoa(i))
	}
}

func TestSentinel(t *testing.T) {
	sentinel := storagetest.Sentinel(t, storagetest.Server(t), "main")
	everything(t, storagetest.Open(t, storagetest.Addr("redis+sentinel://"+sentinel+"/main")), "acme")
}

func TestPassword(t *testing.T) {
	addr := storagetest.Server(t)
	admin := storagetest.Client(t, addr)
	if err := admin.ConfigSet(t.Context(), "requirepass", "secret").Err(); err != nil {
		t.Fatal(err)
	}
	everything(t, storagetest.Open(t, storagetest.Addr("redis://:secret@"+addr)), "acme")
	if _, err := storage.Open(t.Context(), storage.Config{Address: storagetest.Addr("redis://:wrong@" + addr), Log: quiet}); err == nil {
		t.Error("a wrong password is accepted")
	}
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	certificate, key := writeCertificate(t, dir)
	addr := storagetest.FreeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	storagetest.Server(t, "tls-port "+port, "tls-cert-file "+certificate, "tls-key-file "+key, "tls-auth-clients no")
	t.Setenv("SSL_CERT_FILE", certificate) // read at the first TLS connection of the process, which is this test's
	everything(t, storagetest.Open(t, storagetest.Addr("rediss://"+addr)), "acme")
}

// writeCertificate makes a self-signed certificate for the loopback address.
func writeCertificate(t *testing.T, dir string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: pkcs8}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}
