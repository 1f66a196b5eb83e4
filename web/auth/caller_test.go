package auth

import "testing"

func TestDeploymentScope(t *testing.T) {
	if c := (Caller{}); !c.InDeployment(5) {
		t.Error("a token without deployments is good for all of the tenant")
	}
	if c := (Caller{Deployments: []int64{}}); c.InDeployment(5) {
		t.Error("an empty list of deployments names none")
	}
	if c := (Caller{Deployments: []int64{1, 5}}); !c.InDeployment(5) || c.InDeployment(2) {
		t.Error("a list of deployments is exactly that list")
	}
}
