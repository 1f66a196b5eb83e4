package account

import "mooring/web/request"

// Routes are those of the room.
func (a *API) Routes() []request.Route {
	const (
		session     = request.Root + "/session"
		device      = request.Root + "/device"
		pairing     = device + "/:userCode"
		keys        = request.Root + "/keys"
		revocations = request.Root + "/revocations"
		settings    = request.Root + "/tenant/settings"
		inTenant    = request.InTenant
	)
	return []request.Route{
		{Method: "GET", Path: request.Root + "/me", Scope: inTenant, Operation: request.Do(a.sessions.me)},
		{Method: "GET", Path: session, Operation: request.Do(a.sessions.methods)},
		{Method: "POST", Path: session, Operation: request.Do(a.sessions.signIn), Body: new(signInBody)},
		{Method: "DELETE", Path: session, Scope: inTenant, Operation: request.Do(a.sessions.signOut)},
		{Method: "POST", Path: device + "/code", Operation: request.Raw(a.devices.begin), Body: new(codesBody)},
		{Method: "POST", Path: device + "/token", Operation: request.Raw(a.devices.issue), Body: new(tokensBody)},
		{Method: "GET", Path: pairing, Scope: inTenant, Operation: request.On(a.devices.find, a.devices.show)},
		{Method: "POST", Path: pairing + "/approve", Scope: inTenant, Operation: request.Do(a.devices.approve), Body: new(approvalBody)},
		{Method: "POST", Path: pairing + "/deny", Scope: inTenant, Operation: request.On(a.devices.find, a.devices.deny)},
		{Method: "GET", Path: request.Root + "/devices", Scope: inTenant, Operation: request.Do(a.devices.list)},
		{Method: "DELETE", Path: request.Root + "/devices/:deviceId", Scope: inTenant, Operation: request.Do(a.devices.end)},
		{Method: "GET", Path: keys, Scope: inTenant, Operation: request.Do(a.keys.list)},
		{Method: "POST", Path: keys, Scope: inTenant, Operation: request.If(mayMakeKeys, a.keys.make), Body: new(keyBody)},
		{Method: "DELETE", Path: keys + "/:keyId", Scope: inTenant, Operation: request.Do(a.keys.end)},
		{Method: "GET", Path: revocations, Scope: inTenant, Operation: request.Do(a.revocations)},
		{Method: "POST", Path: revocations, Scope: inTenant, Operation: request.Do(a.revoke), Body: new(revocationBody)},
		{Method: "GET", Path: settings, Scope: inTenant, Operation: request.Do(a.settings)},
		{Method: "PUT", Path: settings, Scope: inTenant, Operation: request.If(mayWriteSettings, a.writeSettings), Body: new(settingsBody)},
	}
}

// Pages are the routes by which browsers arrive, which are no operations of the interface.
func (a *API) Pages() []request.Route {
	return []request.Route{
		{Method: "GET", Path: "/", Operation: request.Raw(a.sessions.root)},
		{Method: "GET", Path: signInPath, Operation: request.Raw(a.sessions.sendToProvider)},
		{Method: "GET", Path: callbackPath, Operation: request.Raw(a.sessions.returnFromProvider)},
	}
}
