//go:build unix

package zoo

// webSlips are those in who may do what over HTTP.
func webSlips() []slip {
	return []slip{
		{
			"a-token-without-an-end", "A token that does not say when it expires is good.",
			"web/auth/keyring.go", "jwt.WithExpirationRequired(), ", "",
			"web/auth", "TestForgedTokensAreRefused",
		},
		{
			"any-issuer-signs", "A token of another service that has the same key is good here.",
			"web/auth/keyring.go", ", jwt.WithIssuer(issuer)}", "}",
			"web/auth", "TestForgedTokensAreRefused",
		},
		{
			"a-remembered-token-never-expires", "A token is good as long as the server remembers it.",
			"web/auth/token.go", "if hit && now.Before(c.Expires) {", "if hit {",
			"web/auth", "TestTheTokenCacheForgetsExpiredTokensAndStaysBounded",
		},
		{
			"revocations-fail-open", "While the storage does not answer, every revoked token is good.",
			"web/auth/revocation.go", "return false, err", "return false, nil",
			"web/auth", "TestRevocationsAreAskedOnceInAWhileAndFailClosed",
		},
		{
			"a-device-outlives-its-approver", "A device goes on after the key was revoked with which it was approved.",
			"web/auth/revocation.go", "list.include(c.Device) || list.includeApprover(c.Approver), nil", "list.include(c.Device), nil",
			"web/auth", "TestWhichTokensARevocationMeans",
		},
		{
			"a-page-acts-with-a-session", "A page of another origin acts with the session of who visits it.",
			"web/auth/session.go", `return c.CSRF != "" && subtle.`, `return c.CSRF != "" || subtle.`,
			"web", "TestOtherPagesDoNotActWithASession",
		},
		{
			"an-id-token-without-its-nonce", "Somebody else's ID token, injected into a sign-in, signs a person in as them.",
			"web/oidc/client.go", "if token.Nonce != s.Nonce {", "if false {",
			"web/oidc", "TestForgedIDTokens",
		},
		{
			"a-code-for-another-issuer", "A malicious issuer gets the code of an honest one.",
			"web/oidc/client.go", `case slices.ContainsFunc(answer["iss"], foreign):`, `case false && slices.ContainsFunc(answer["iss"], foreign):`,
			"web/oidc", "TestMixedUpAnswers",
		},
		{
			"claims-that-cannot-be-read", "A token whose deployments cannot be read is good for all of them.",
			"web/oidc/issuer.go", `if present && (string(raw) == "null" || json.Unmarshal(raw, into) != nil) {`, "if json.Unmarshal(raw, into) != nil && false {",
			"web/oidc", "TestClaimsOfAnotherIssuer",
		},
		{
			"a-token-of-another-deployment", "A token for one deployment reads every other one of its tenant.",
			"web/request/caller.go", "if !c.Caller.InDeployment(id) {", "if false {",
			"web", "TestErrorsOfTheHTTPLayer",
		},
		{
			"a-list-skips-the-read-rule", "The list of a deployment's placements shows those of reports that the caller may not read.",
			"web/placements/list.go", "func(d record.DocumentPlacement) bool { return c.Caller.Level(d.Definition) >= record.MayRead })", "func(d record.DocumentPlacement) bool { return true })",
			"web", "TestWhoSeesPlacementsOfADeployment",
		},
		{
			"a-rate-is-counted-only", "A token makes more requests than its rate allows.",
			"web/request/caller.go", "if taken.Wait == 0 {", "if taken.Wait >= 0 {",
			"web", "TestRateLimitIsPerTokenAndSharedByAllInstances",
		},
		{
			"an-old-delivery-is-replayed", "Somebody who recorded a signed delivery sends it again a day later.",
			"web/hook/hook.go", "case !recent(timestamp, at):", "case false && !recent(timestamp, at):",
			"web/hook", "TestStandardRequests",
		},
		{
			"an-etag-of-a-namesake", "If-Match lets a report be overwritten that was deleted and made anew under its name.",
			"web/request/precondition.go", `fmt.Appendf(nil, "%s %d %d %s %d", e.Kind, e.Deployment, e.ID, e.CreatedAt, e.Version)`, `fmt.Appendf(nil, "%s %d %d %s %d", e.Kind, e.Deployment, int64(0), "", e.Version)`,
			"web", "TestAnETagIsOfOneAsset",
		},
	}
}

// codeSlips are those in assets as code on the command's side.
func codeSlips() []slip {
	return []slip{
		{
			"a-pull-writes-a-hidden-file", "A server's answer makes pull write a file outside of the project.",
			"cmd/mooring/ascode/write.go", "if !wanted(c.File) || hidden(c.File) {", "if false {",
			"cmd/mooring/ascode", "TestOnlyFilesOfAProjectAreWritten",
		},
		{
			"the-lock-of-another-environment", "An apply to staging makes pull take production's files for unchanged.",
			"cmd/mooring/ascode/lock.go", "return e.Environment == environment && e.Kind == kind && e.Ref == ref", "return e.Kind == kind && e.Ref == ref",
			"cmd/mooring/ascode", "TestTheLockKeepsEnvironmentsApart",
		},
		{
			"a-delete-is-no-change", "A plan that only deletes says that there is nothing to do.",
			"cmd/mooring/ascode/plan.go", "if a.Action != portable.ActionUnchanged && a.Action != portable.ActionKept {", "if a.Action != portable.ActionUnchanged && a.Action != portable.ActionKept && a.Action != portable.ActionDelete {",
			"cmd/mooring/ascode", "TestAPlanThatDeletesIsNotEmpty",
		},
	}
}
