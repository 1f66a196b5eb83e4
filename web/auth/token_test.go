package auth

import (
	"testing"
	"time"
)

func TestTheTokenCacheForgetsExpiredTokensAndStaysBounded(t *testing.T) {
	k := keyring(t, TokenKey{ID: "main", Algorithm: "HS256", Secret: secret})
	now := time.Now()
	cache := NewTokens(k)
	token, _, err := k.Sign(Caller{Tenant: "acme"}, now, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	first, err := cache.Caller(token, now)
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := cache.Caller(token, now); second != first {
		t.Error("a verified token was verified again")
	}
	now = now.Add(time.Minute)
	if _, err := cache.Caller(token, now); err == nil {
		t.Error("an expired token was served from the cache")
	}
	for i := range maxTokens + 5 {
		cache.mu.Lock()
		cache.makeRoom(now)
		cache.byHash[[32]byte{byte(i), byte(i >> 8), byte(i >> 16)}] = &Caller{Expires: now.Add(time.Hour)}
		cache.mu.Unlock()
	}
	if n := len(cache.byHash); n != maxTokens {
		t.Errorf("%d cached, want %d", n, maxTokens)
	}
}
