package record

import "time"

// Key is a token that a person has made for some purpose: whose it is and how far it goes. The token itself is kept nowhere.
type Key struct {
	ID      string    `json:"id"` // of the token
	Name    string    `json:"name"`
	Made    time.Time `json:"made"`
	Expires time.Time `json:"expires"`
	Used    time.Time `json:"-"` // when it was used last, about; zero: never. It is stored apart

	// For whom it acts.
	UserID    int64  `json:"uid"`
	Email     string `json:"email"`
	FirstName string `json:"firstName"`

	Deployments []int64  `json:"deployments"` // at least one
	Actions     []string `json:"actions"`
	Bound       []string `json:"bound"`   // see Actor
	Maker       string   `json:"maker"`   // the id of the token with which it was made
	Grounds     []string `json:"grounds"` // of that token, see auth.Caller
	Owner       string   `json:"owner"`   // who made it, as auth.Caller.Identity says
}

// User is for whom the key acts, as records name them.
func (k *Key) User() User { return User{ID: k.UserID, Email: k.Email, FirstName: k.FirstName} }
