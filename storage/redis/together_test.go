package redis_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/storage/redis"
)

// reply is an error that a server replied.
type reply string

func (r reply) Error() string { return string(r) }

func (reply) RedisError() {}

// adder adds one to each number that it is asked, which takes a second, and keeps what it was asked at once.
type adder struct {
	exchanges [][]int
	err       func([]int) error
}

func (a *adder) ask(_ context.Context, list []int) ([]int, error) {
	a.exchanges = append(a.exchanges, list)
	time.Sleep(time.Second)
	var sums []int
	for _, n := range list {
		sums = append(sums, n+1)
	}
	return sums, a.err(list)
}

// askedTogether asks the numbers from 0 on, one after the other, and returns what came of each.
func askedTogether(a *adder, n int) (answers []string) {
	t := &redis.Together[int, int]{Ask: a.ask, Weigh: func(n int) int { return n }, Most: 6}
	answers = make([]string, n)
	for i := range n {
		go func() {
			sum, err := t.One(context.Background(), "p", i)
			answers[i] = fmt.Sprint(sum, " ", err)
		}()
		synctest.Wait()
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	return answers
}

func TestWhatIsAskedMeanwhileIsAskedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &adder{err: func([]int) error { return nil }}
		want := []string{"1 <nil>", "2 <nil>", "3 <nil>", "4 <nil>", "5 <nil>", "6 <nil>", "7 <nil>", "8 <nil>"}
		if diff := cmp.Diff(want, askedTogether(a, 8)); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([][]int{{0}, {1, 2, 3}, {4}, {5}, {6}, {7}}, a.exchanges); diff != "" {
			t.Errorf("exchanges (-want +got):\n%s", diff)
		}
	})
}

func TestWhoHungUpBeforeAskingIsNotAnswered(t *testing.T) {
	asks := &redis.Together[int, int]{
		Ask:   func(_ context.Context, list []int) ([]int, error) { return list, nil },
		Weigh: func(int) int { return 1 },
		Most:  1,
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 1000 {
		if _, err := asks.One(ctx, "p", 1); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
}

func TestAnErrorOfOneIsNotThatOfTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &adder{err: func(list []int) error {
			for _, n := range list {
				if n == 2 {
					return reply("WRONGTYPE")
				}
			}
			return nil
		}}
		if diff := cmp.Diff([]string{"1 <nil>", "2 <nil>", "0 WRONGTYPE", "4 <nil>"}, askedTogether(a, 4)); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
	})
}

func TestAnOutageIsThatOfAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &adder{err: func(list []int) error {
			if len(list) > 1 {
				return errors.New("connection refused")
			}
			return nil
		}}
		askedTogether(a, 4)
		if diff := cmp.Diff([][]int{{0}, {1, 2, 3}}, a.exchanges); diff != "" {
			t.Errorf("exchanges (-want +got):\n%s", diff)
		}
	})
}

func TestTransactionsOfOneExchangeAreAsIfAlone(t *testing.T) {
	eachServer(t, func(t *testing.T, rdb redis.UniversalClient) {
		script := redis.NewTxnScript(counted)
		var first, unmet, last redis.Txn
		first.Then("SET", "{a}:one", "1")
		first.Read("GET", "{a}:one")
		unmet.If("1", "GET", "{a}:one")
		unmet.If("2", "GET", "{a}:one")
		unmet.Then("SET", "{a}:two", "never")
		unmet.Read("GET", "{a}:one")
		last.If("1", "GET", "{a}:one")
		last.Read("GET", "{a}:two")
		last.Read("count", "{a}:three", "told")
		outcomes, err := script.RunAll(t.Context(), rdb, []*redis.Txn{&first, &unmet, &last})
		if err != nil {
			t.Fatal(err)
		}
		want := []any{[]any{"1"}, int64(1), []any{nil, []any{int64(1), "told", int64(1)}}}
		if diff := cmp.Diff(want, outcomes); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		if _, err := redis.Replies(outcomes[1]); err != redis.Unmet(1) {
			t.Errorf("the second one: %v", err)
		}
	})
}
