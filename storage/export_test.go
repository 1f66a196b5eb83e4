package storage

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
)

// ForgetUpserted makes s an instance that has upserted nothing yet.
func (s *Store) ForgetUpserted() { *s.memory = *layout.NewMemory(s.reader) }

// ErrCrash is the error of what a process does after CrashAfter.
var ErrCrash = errors.New("crash")

// DropPlan forgets a plan.
func (s *Store) DropPlan(t *testing.T, d record.Deployment, id string) {
	t.Helper()
	if err := s.db.Redis.Del(t.Context(), s.db.Deployment(d).Plan(id)).Err(); err != nil {
		t.Fatal(err)
	}
}

// CrashAfter makes s what a process is that dies after some more round trips: the last is made but its reply is lost, and then none is
// made. revive ends that, and returns how many were made.
func (s *Store) CrashAfter(trips int) (revive func() int) {
	h := &crashHook{most: trips}
	s.db.Redis.AddHook(h)
	return func() int {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.revived = true
		return h.made
	}
}

type crashHook struct {
	slotHook
	most    int
	mu      sync.Mutex
	made    int
	revived bool
}

func (h *crashHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return h.trip(func() error { return next(ctx, cmd) }, cmd)
	}
}

func (h *crashHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return h.trip(func() error { return next(ctx, cmds) }, cmds...)
	}
}

// trip makes a round trip, unless the process has died before its reply.
func (h *crashHook) trip(send func() error, cmds ...redis.Cmder) error {
	alive, answered := h.next(cmds)
	if alive {
		if err := send(); answered {
			return err
		}
	}
	for _, cmd := range cmds {
		cmd.SetErr(ErrCrash)
	}
	return ErrCrash
}

// next reports whether the process is still alive when it sends commands, and when they are answered.
func (h *crashHook) next(cmds []redis.Cmder) (alive, answered bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.revived || !ours(cmds) {
		return true, true
	}
	if h.made == h.most {
		return false, false
	}
	h.made++
	return true, h.made < h.most
}

// Before has something done before one of the next round trips, the first of which is 0. ended ends that, and returns how many were made
// beside those of do.
func (s *Store) Before(trip int, do func()) (ended func() int) {
	h := &beforeHook{trip: trip, do: do}
	s.db.Redis.AddHook(h)
	return func() int {
		h.over = true
		return h.made
	}
}

// beforeHook is that of Before. Round trips come one after the other.
type beforeHook struct {
	slotHook
	trip, made int
	do         func()
	within     bool // do is at work
	over       bool
}

func (h *beforeHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		h.before([]redis.Cmder{cmd})
		return next(ctx, cmd)
	}
}

func (h *beforeHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		h.before(cmds)
		return next(ctx, cmds)
	}
}

func (h *beforeHook) before(cmds []redis.Cmder) {
	if h.over || h.within || !ours(cmds) {
		return
	}
	if h.made == h.trip {
		h.within = true
		h.do()
		h.within = false
	}
	h.made++
}

// ours reports whether commands are about a key of Mooring's: what a new connection says first is not.
func ours(cmds []redis.Cmder) bool {
	return slices.ContainsFunc(cmds, func(cmd redis.Cmder) bool {
		return slices.ContainsFunc(cmd.Args(), func(arg any) bool { text, _ := arg.(string); return strings.HasPrefix(text, "mooring:") })
	})
}

// SetLocks changes how long a write waits for its locks and how long a lock outlives its writer.
func (s *Store) SetLocks(wait, ttl time.Duration) { s.db.LockWait, s.db.LockTTL = wait, ttl }

// Client is the connection itself.
func (s *Store) Client() redis.UniversalClient { return s.db.Redis.(redis.UniversalClient) }

// SetNow changes the clock.
func (s *Store) SetNow(now func() time.Time) { s.db.Now = now }

// OnTwoSlots calls report for every command or script from now on whose keys do not all carry the same hash tag.
func (s *Store) OnTwoSlots(report func(problem string)) { s.db.Redis.AddHook(slotHook{report}) }

type slotHook struct{ report func(string) }

func (h slotHook) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (h slotHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		h.check(cmd)
		return next(ctx, cmd)
	}
}

func (h slotHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		for _, cmd := range cmds {
			h.check(cmd)
		}
		return next(ctx, cmds)
	}
}

// check looks at every argument that is one of our keys, wherever it stands.
func (h slotHook) check(cmd redis.Cmder) {
	if cmd.Name() == "xreadgroup" {
		return // one node's agent waits on all queues at once; a cluster's reads one at a time, which TestCluster holds
	}
	tags := map[string]bool{}
	for _, arg := range cmd.Args() {
		key, ok := arg.(string)
		if !ok || !strings.HasPrefix(key, "mooring:") || key == keys.PartitionCount || key == keys.Schema {
			continue
		}
		open, end := strings.Index(key, "{"), strings.Index(key, "}")
		if open < 0 || end < open {
			h.report(fmt.Sprintf("%s: key %s has no hash tag", cmd.Name(), key))
			continue
		}
		tags[key[open:end]] = true
	}
	if len(tags) > 1 {
		h.report(fmt.Sprintf("%s: keys of several slots: %v", cmd.Name(), cmd.Args()))
	}
}

// HoldPublicID takes the lock of a publicId as another writer would; free gives it back.
func (s *Store) HoldPublicID(t *testing.T, d record.Deployment, publicID string) (free func()) {
	t.Helper()
	lock := s.db.Tenant(d.Tenant).PublicIDLock(publicID)
	if err := s.db.Redis.Set(t.Context(), lock, "another writer", 0).Err(); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := s.db.Redis.Del(t.Context(), lock).Err(); err != nil {
			t.Error(err)
		}
	}
}

// Claims gives the indexes of names of a deployment.
func (s *Store) Claims(t *testing.T, d record.Deployment) (publicIDs, slugs map[string]int64) {
	t.Helper()
	k := s.db.Deployment(d)
	return s.claims(t, k, k.PublicIDs()), s.claims(t, k, k.Slugs())
}

func (s *Store) claims(t *testing.T, k keys.DeploymentKeys, index string) map[string]int64 {
	t.Helper()
	owners, err := s.db.Redis.HGetAll(t.Context(), index).Result()
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string]int64{}
	for name, owner := range owners {
		if id, here := k.Owned(owner); here {
			claims[name] = id
		}
	}
	return claims
}

// HoldReport takes the lock of a report and dies.
func (s *Store) HoldReport(t *testing.T, d record.Deployment, id int64) {
	t.Helper()
	if _, _, err := s.reader.Lock(t.Context(), s.db.Deployment(d), id); err != nil {
		t.Fatal(err)
	}
}

// Clear empties a storage of one node.
func (s *Store) Clear(t *testing.T) {
	t.Helper()
	if err := s.db.Redis.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
}

// Dump gives every hash, set, sorted set and string of a storage of one node.
func (s *Store) Dump(t *testing.T) map[string]map[string]string {
	t.Helper()
	keys, err := s.db.Redis.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	dump := map[string]map[string]string{}
	for _, key := range keys {
		dump[key] = s.content(t, key)
	}
	return dump
}

func (s *Store) content(t *testing.T, key string) map[string]string {
	t.Helper()
	content := map[string]string{}
	switch kind := s.db.Redis.Type(t.Context(), key).Val(); kind {
	case "hash":
		return s.db.Redis.HGetAll(t.Context(), key).Val()
	case "string":
		content["value"] = s.db.Redis.Get(t.Context(), key).Val()
	case "set":
		for _, member := range s.db.Redis.SMembers(t.Context(), key).Val() {
			content[member] = ""
		}
	case "zset":
		for _, z := range s.db.Redis.ZRangeWithScores(t.Context(), key, 0, -1).Val() {
			content[z.Member.(string)] = strconv.FormatFloat(z.Score, 'f', -1, 64)
		}
	case "list":
		for i, value := range s.db.Redis.LRange(t.Context(), key, 0, -1).Val() {
			content[strconv.Itoa(i)] = value
		}
	case "stream":
		for _, m := range s.db.Redis.XRange(t.Context(), key, "-", "+").Val() {
			content[m.ID] = fmt.Sprint(m.Values)
		}
	default:
		t.Fatalf("key %s is a %s", key, kind)
	}
	return content
}

// DropReportLock removes the lock of a report, as when it runs out.
func (s *Store) DropReportLock(t *testing.T, d record.Deployment, id int64) {
	t.Helper()
	s.drop(t, s.db.Deployment(d).Locks().Report(id))
}

// TakeDocumentLock makes the lock of a spreadsheet another writer's, as when it ran out before.
func (s *Store) TakeDocumentLock(t *testing.T, tenant, document string) {
	t.Helper()
	if err := s.db.Redis.Set(t.Context(), s.db.Tenant(tenant).DocumentLock(document), "another writer", 0).Err(); err != nil {
		t.Fatal(err)
	}
}

// DropDocumentLock removes the lock of a spreadsheet, as when it runs out.
func (s *Store) DropDocumentLock(t *testing.T, tenant, document string) {
	t.Helper()
	s.drop(t, s.db.Tenant(tenant).DocumentLock(document))
}

// DocumentLockKey is the key of the lock of a spreadsheet.
func (s *Store) DocumentLockKey(tenant, document string) string {
	return s.db.Tenant(tenant).DocumentLock(document)
}

// DocumentTurnKey is where it is kept which agents are to have a document next.
func (s *Store) DocumentTurnKey(tenant, document string) string {
	return s.db.Tenant(tenant).DocumentTurn(document)
}

func (s *Store) drop(t *testing.T, lock string) {
	t.Helper()
	if n, err := s.db.Redis.Del(t.Context(), lock).Result(); n != 1 || err != nil {
		t.Fatalf("lock %s: %d removed, %v", lock, n, err)
	}
}

// ExpireLocks removes every lock, as when their writers died and they run out.
func (s *Store) ExpireLocks(t *testing.T) {
	t.Helper()
	locks, err := s.db.Redis.Keys(t.Context(), "*:lock:*").Result()
	if err == nil && len(locks) > 0 {
		err = s.db.Redis.Del(t.Context(), locks...).Err()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// RevokedKey is where a tenant's revoked tokens are.
func (s *Store) RevokedKey(tenant string) string { return s.db.Tenant(tenant).Prefix + "revoked" }

// ExpireIdempotency lets the idempotency records of a tenant run out.
func (s *Store) ExpireIdempotency(t *testing.T, tenant string) {
	t.Helper()
	s.drop(t, s.idempotencyKey(t, tenant))
}

// IdempotencyTTL is how long the one idempotency record of a tenant is kept.
func (s *Store) IdempotencyTTL(t *testing.T, tenant string) time.Duration {
	t.Helper()
	return s.db.Redis.PTTL(t.Context(), s.idempotencyKey(t, tenant)).Val()
}

func (s *Store) idempotencyKey(t *testing.T, tenant string) string {
	t.Helper()
	keys, err := s.db.Redis.Keys(t.Context(), "*"+s.db.Tenant(tenant).Prefix[len("mooring:{p00}"):]+"idempotency:*").Result()
	if len(keys) != 1 || err != nil {
		t.Fatalf("records %v, %v", keys, err)
	}
	return keys[0]
}

// IdempotencyKept counts the idempotency records of a tenant and the bytes of the answers in them.
func (s *Store) IdempotencyKept(t *testing.T, tenant string) (records, bytes int) {
	t.Helper()
	keys, err := s.db.Redis.Keys(t.Context(), s.db.Tenant(tenant).Prefix+"idempotency:*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		bytes += len(s.db.Redis.HGet(t.Context(), key, "response").Val())
	}
	return len(keys), bytes
}

// SchedulesOf is the key of what a user has made.
func (s *Store) SchedulesOf(tenant string, user int64) string {
	return s.db.Tenant(tenant).SchedulesOf(user)
}

// ReportSchedules is the key of the schedules of a report.
func (s *Store) ReportSchedules(d record.Deployment, report int64) string {
	return s.db.Deployment(d).ReportSchedules(report)
}

// LeaveAfterLocking gives a context whose caller goes away when the next script has run, before its answer is read. That script has taken
// its locks.
func (s *Store) LeaveAfterLocking(ctx context.Context) context.Context {
	ctx, leave := context.WithCancel(ctx)
	s.db.Redis.AddHook(&leaveHook{leave: leave, ctx: ctx})
	return ctx
}

type leaveHook struct {
	slotHook
	leave func()
	ctx   context.Context
}

func (h *leaveHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { return h.after(next(ctx, cmd), cmd) }
}

func (h *leaveHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { return h.after(next(ctx, cmds), cmds...) }
}

// after makes the caller leave when one of the commands that were run is a script.
func (h *leaveHook) after(err error, cmds ...redis.Cmder) error {
	for _, cmd := range cmds {
		if cmd.Err() == nil && h.ctx.Err() == nil && strings.HasPrefix(cmd.Name(), "eval") {
			h.leave()
			cmd.SetErr(context.Canceled)
			return context.Canceled
		}
	}
	return err
}

// ReportKey is where a report is.
func (s *Store) ReportKey(d record.Deployment, id int64) string { return s.db.Deployment(d).Report(id) }

// Break makes the record of a report no JSON, and that of a workbook no hash.
func (s *Store) Break(t testing.TB, d record.Deployment, report, workbook int64) {
	t.Helper()
	k, ctx := s.db.Deployment(d), t.Context()
	for _, err := range []error{
		s.db.Redis.HSet(ctx, k.Report(report), layout.FieldDefinition, `{"name":`).Err(),
		s.db.Redis.Del(ctx, k.Workbook(workbook)).Err(),
		s.db.Redis.Set(ctx, k.Workbook(workbook), "rubbish", 0).Err(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// FixLayoutFrom brings what is stored to the present layout, as if a program of an earlier one had written it.
func (s *Store) FixLayoutFrom(t *testing.T, version int) {
	t.Helper()
	if err := s.db.Redis.Set(t.Context(), keys.Schema, version, 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err := s.keeper.FixLayout(t.Context(), false); err != nil {
		t.Fatal(err)
	}
}

// ClientPlanKey is where the plan of a client run is.
func (s *Store) ClientPlanKey(d record.Deployment, run string) string {
	return s.db.Deployment(d).Runs().ClientPlan(run)
}

// StandingKey is where it is kept in which lists the placements of a deployment are.
func (s *Store) StandingKey(d record.Deployment) string { return s.db.Deployment(d).Standing() }

// LeaveWitness counts behind a write of a tenant.
func (s *Store) LeaveWitness(ctx context.Context, tenant string) {
	s.db.LeaveWitness(ctx, s.db.Tenant(tenant).Partition)
}

// BehindSince returns when the storage of a tenant came back without its last writes.
func (s *Store) BehindSince(ctx context.Context, tenant string) (string, error) {
	return s.db.BehindSince(ctx, s.db.Tenant(tenant).Partition)
}
