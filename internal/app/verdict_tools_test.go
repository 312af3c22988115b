package app_test

import (
	"encoding/json"
	"testing"
)

// message sends a message to a tool server.
func (p plane) message(w world, service, token, method string, params object) {
	p.T.Helper()
	body, _ := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	status, _, text, err := p.raw("POST", w.Credential(service, "base_url")+"/mcp", token, "application/json", string(body))
	if err != nil || status != 200 {
		p.T.Errorf("%s: %d %s %v", method, status, text, err)
	}
}

// A request to a tool server is one request, although the server asks the service
// who has sent it: nobody who counts requests sees these questions.
func TestQuestionsOfToolServersAreNotTheAgents(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.demo().fork()
		hello := object{"protocolVersion": "2025-06-18", "capabilities": object{}, "clientInfo": object{"name": "test", "version": "1"}}
		p.message(w, "messaging", w.Credential("messaging", "bot_token"), "initialize", hello)
		p.message(w, "tracker", w.Credential("tracker", "api_key"), "tools/call", object{"name": "list_teams", "arguments": object{}})
		jon := w.person("jon.abel")
		p.message(w, "messaging", jon, "initialize", hello)
		p.message(w, "messaging", jon, "tools/list", object{})
		w.wantChecks(`trajectory:
  - at_most: 2
  - never: {operation: messaging.auth.test}
  - never: {operation: messaging.auth.test, by: person}
  - {called: {service: tracker}, count: 1}`, "passed 1: trajectory[0]=true; trajectory[1]=true; trajectory[2]=true; trajectory[3]=true")
		w.wantChecks(`trajectory: [at_most: 1]`, "failed 0: trajectory[0]=false (the agent made 2 requests)")
	})
}
