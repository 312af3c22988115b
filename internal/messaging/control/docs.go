package control

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"understudy/internal/messaging"
	"understudy/internal/messaging/webapi"
	"understudy/internal/platform/apidocs"
)

// The credentials in the docs.
const (
	token    = "token"
	adminKey = "admin_key"
)

// shape is what the docs add to a row of the route table.
type shape struct {
	credentials []string
	list        bool // accepts limit and cursor
	parameters  []apidocs.Parameter
	body        any
	replies     map[int]any
	refusals    []int
}

// shapes holds the shapes of the routes, by pattern.
var shapes = map[string]shape{
	"GET /api/health":          {replies: map[int]any{200: map[string]string{}}},
	"GET /api/docs":            {replies: map[int]any{200: apidocs.Text("text/html")}},
	"GET /api/docs/{asset...}": {replies: map[int]any{200: apidocs.Text("*/*")}, refusals: []int{404}},
	"GET /api/openapi.json":    {replies: map[int]any{200: map[string]any{}}},

	"POST /api/auth/signup":  {body: signUpRequest{}, replies: map[int]any{201: sessionReply{}}, refusals: []int{400, 409}},
	"POST /api/auth/login":   {body: logInRequest{}, replies: map[int]any{200: sessionReply{}}, refusals: []int{400, 401, 404, 429}},
	"POST /api/auth/refresh": {body: refreshRequest{}, replies: map[int]any{200: sessionReply{}}, refusals: []int{400, 401, 404}},
	"POST /api/auth/logout": {credentials: []string{token}, body: logOutRequest{}, replies: map[int]any{204: nil},
		refusals: []int{400, 401, 403}},
	"POST /api/auth/password": {credentials: []string{token}, body: passwordRequest{}, replies: map[int]any{204: nil}, refusals: []int{400, 401, 403, 429}},
	"GET /api/auth/me":        {credentials: []string{token}, replies: map[int]any{200: meReply{}}, refusals: []int{401, 403}},

	"POST /api/workspaces": {credentials: []string{token}, body: createWorkspaceRequest{}, replies: map[int]any{201: enteredReply{}},
		refusals: []int{400, 401, 403, 409}},
	"GET /api/workspaces": {credentials: []string{token}, list: true, parameters: []apidocs.Parameter{{Name: "joinable", Type: "boolean",
		Description: "true: the open workspaces that the account is in none of, and those it is invited into by its e-mail address; without user_id and is_admin."}}, replies: map[int]any{200: workspacesReply{}},
		refusals: []int{400, 401, 403}},
	"POST /api/workspaces/{id}/join": {credentials: []string{token}, body: joinRequest{}, replies: map[int]any{200: enteredReply{}},
		refusals: []int{401, 403, 404}},
	"GET /api/workspaces/{id}": {credentials: []string{token}, replies: map[int]any{200: oneWorkspaceReply{}},
		refusals: []int{401, 403, 404}},
	"PUT /api/workspaces/{id}": {credentials: []string{token}, body: putWorkspaceRequest{}, replies: map[int]any{200: oneWorkspaceReply{}},
		refusals: []int{400, 401, 403, 404, 409}},
	"DELETE /api/workspaces/{id}": {credentials: []string{token}, replies: map[int]any{204: nil}, refusals: []int{401, 403, 404}},

	"POST /api/workspaces/{id}/invitations": {credentials: []string{token}, body: inviteRequest{}, replies: map[int]any{201: oneInvitationReply{}},
		refusals: []int{400, 401, 403, 404}},
	"GET /api/workspaces/{id}/invitations": {credentials: []string{token}, list: true, replies: map[int]any{200: invitationsReply{}},
		refusals: []int{400, 401, 403, 404}},
	"DELETE /api/workspaces/{id}/invitations/{invitation}": {credentials: []string{token}, replies: map[int]any{204: nil}, refusals: []int{401, 403, 404}},
	"GET /api/invitations/{secret}":                        {replies: map[int]any{200: shownInvitationReply{}}, refusals: []int{404}},
	"POST /api/invitations/{secret}": {credentials: []string{token}, replies: map[int]any{200: enteredReply{}},
		refusals: []int{401, 403, 404}},

	"POST /api/apps": {credentials: []string{token}, body: createAppRequest{}, replies: map[int]any{201: createdAppReply{}},
		refusals: []int{400, 401, 403}},
	"GET /api/apps": {credentials: []string{token}, list: true, replies: map[int]any{200: appsReply{}}, refusals: []int{400, 401, 403}},

	"GET /api/apps/{id}": {credentials: []string{token}, replies: map[int]any{200: oneAppReply{}}, refusals: []int{401, 403, 404}},
	"PUT /api/apps/{id}": {credentials: []string{token}, body: createAppRequest{}, replies: map[int]any{200: oneAppReply{}},
		refusals: []int{400, 401, 403, 404}},
	"DELETE /api/apps/{id}":      {credentials: []string{token}, replies: map[int]any{204: nil}, refusals: []int{401, 403, 404, 409}},
	"POST /api/apps/{id}/tokens": {credentials: []string{token}, replies: map[int]any{200: createdAppReply{}}, refusals: []int{400, 401, 403, 404}},

	"POST /api/events/subscribe": {credentials: []string{token}, body: subscribeRequest{}, replies: map[int]any{201: subscriptionReply{}},
		refusals: []int{400, 401, 403, 404, 422}},
	"GET /api/events/subscriptions": {credentials: []string{token}, list: true, replies: map[int]any{200: subscriptionsReply{}},
		refusals: []int{400, 401, 403}},
	"PUT /api/events/subscriptions/{id}": {credentials: []string{token}, body: subscriptionChange{}, replies: map[int]any{200: subscriptionReply{}},
		refusals: []int{400, 401, 403, 404, 422}},
	"DELETE /api/events/subscriptions/{id}": {credentials: []string{token}, replies: map[int]any{204: nil}, refusals: []int{401, 403, 404}},

	"POST /api/webhooks/outgoing": {credentials: []string{token}, body: outgoingRequest{}, replies: map[int]any{201: outgoingReply{}},
		refusals: []int{400, 401, 403, 404, 422}},
	"GET /api/webhooks/outgoing": {credentials: []string{token}, list: true, replies: map[int]any{200: outgoingListReply{}},
		refusals: []int{400, 401, 403}},
	"DELETE /api/webhooks/outgoing/{id}": {credentials: []string{token}, replies: map[int]any{204: nil}, refusals: []int{401, 403, 404}},

	"POST /api/webhooks/incoming": {credentials: []string{token}, body: incomingRequest{}, replies: map[int]any{201: incomingReply{}},
		refusals: []int{400, 401, 403, 404, 409}},
	"GET /api/webhooks/incoming": {credentials: []string{token}, list: true, replies: map[int]any{200: incomingListReply{}},
		refusals: []int{400, 401, 403}},
	"DELETE /api/webhooks/incoming/{id}": {credentials: []string{token}, replies: map[int]any{204: nil}, refusals: []int{401, 403, 404}},
	"POST /api/webhooks/incoming/{id}": {body: hookMessage{}, replies: map[int]any{200: apidocs.Text("text/html")},
		refusals: []int{400, 403, 404, 410, 429}},
	"POST /services/{team}/{bot}/{id}": {body: hookMessage{}, replies: map[int]any{200: apidocs.Text("text/html")},
		refusals: []int{400, 403, 404, 410, 429}},

	"POST /api/commands": {credentials: []string{token}, body: commandRequest{}, replies: map[int]any{201: createdCommandReply{}},
		refusals: []int{400, 401, 403, 404, 409}},
	"GET /api/commands":         {credentials: []string{token}, list: true, replies: map[int]any{200: commandsReply{}}, refusals: []int{400, 401, 403}},
	"DELETE /api/commands/{id}": {credentials: []string{token}, replies: map[int]any{204: nil}, refusals: []int{401, 403, 404}},
	"POST /api/commands/execute": {credentials: []string{token}, body: executeRequest{}, replies: map[int]any{200: answeredReply{}},
		refusals: []int{400, 401, 403, 404, 409, 502}},

	"POST /api/interactions": {credentials: []string{token}, body: interactRequest{}, replies: map[int]any{200: answeredReply{}},
		refusals: []int{400, 401, 403, 404, 422, 502}},
	"POST /api/responses/{id}": {body: answerMessage{}, replies: map[int]any{200: apidocs.Text("text/html")}, refusals: []int{400, 404}},

	"GET /api/client/boot": {credentials: []string{token}, replies: map[int]any{200: bootReply{}}, refusals: []int{401, 403}},
	"GET /api/client/messages": {credentials: []string{token}, parameters: windowParameters, replies: map[int]any{200: messagesReply{}},
		refusals: []int{400, 401, 403, 404}},
	"PUT /api/client/read": {credentials: []string{token}, body: readRequest{}, replies: map[int]any{200: messaging.Mark{}},
		refusals: []int{400, 401, 403, 404}},
	"PUT /api/client/stars": {credentials: []string{token}, body: starRequest{}, replies: map[int]any{200: messaging.Mark{}},
		refusals: []int{400, 401, 403, 404}},
	"GET /api/client/threads": {credentials: []string{token}, list: true, parameters: []apidocs.Parameter{{Name: "unread", Type: "boolean",
		Description: "true: only threads with replies of others after the caller's mark in the conversation."}},
		replies: map[int]any{200: clientThreadsReply{}}, refusals: []int{400, 401, 403}},
	"GET /api/client/channels": {credentials: []string{token}, list: true, parameters: channelParameters,
		replies: map[int]any{200: foundChannelsReply{}}, refusals: []int{400, 401, 403}},
	"GET /api/client/people": {credentials: []string{token}, list: true, parameters: peopleParameters,
		replies: map[int]any{200: foundPeopleReply{}}, refusals: []int{400, 401, 403}},

	"POST /api/admin/provision": {credentials: []string{token, adminKey}, body: provisionRequest{}, replies: map[int]any{200: credentials{}},
		refusals: []int{400, 401, 403, 404, 429}},
}

var listParameters = []apidocs.Parameter{
	{Name: "limit", Type: "integer", Description: "How many at most: 1 to 1000, 100 when left out."},
	{Name: "cursor", Description: "The next_cursor of the page before."},
}

var (
	wordParameter    = apidocs.Parameter{Name: "q", Description: "The beginning of a word; left out: all."}
	peopleParameters = []apidocs.Parameter{wordParameter}

	channelParameters = []apidocs.Parameter{wordParameter, {Name: "archived", Type: "boolean", Description: "Also archived channels."}}

	windowParameters = []apidocs.Parameter{
		{Name: "channel", Description: "The id of the conversation.", Required: true},
		{Name: "thread_ts", Description: "The parent of a thread: its replies instead of the conversation."},
		{Name: "before", Description: "Messages older than this ts."},
		{Name: "after", Description: "Messages newer than this ts."},
		{Name: "around", Description: "Messages on both sides of this ts."},
		{Name: "limit", Type: "integer", Description: "How many at most: 1 to 500, 200 when left out."},
	}
)

// docs describes the control plane and the data plane. It is built on first use,
// for all environments.
var docs = sync.OnceValue(func() *apidocs.Docs {
	api := apidocs.API{
		Title: "Messaging",
		Description: "Workspace messaging: the methods of the Web API, and a REST control plane for accounts, workspaces and apps. " +
			"The Web API answers in the `ok` envelope, the control plane with plain statuses.",
		Refusal: errorReply{},
		Credentials: []apidocs.Credential{
			{Name: token, Description: "A session's JWT, a bot token (`xoxb-`, Web API alone) or a user token (`xoxp-`)."},
			{Name: adminKey, Description: "The key of the admin plane, as in credentials.json."},
		},
	}
	for _, r := range routes {
		s := shapes[r.pattern]
		op := apidocs.Operation{Pattern: r.pattern, Group: group(r.pattern), Summary: r.summary, Credentials: s.credentials,
			Body: s.body, Replies: maps.Clone(s.replies), Refusals: s.refusals}
		op.Parameters = s.parameters
		if s.list {
			op.Parameters = slices.Concat(s.parameters, listParameters)
		}
		api.Operations = append(api.Operations, op)
	}
	api.Operations = append(api.Operations, webapi.Operations(token)...)
	api.Events = clientEvents
	return apidocs.New(api)
})

// group returns the section of the docs for a pattern.
func group(pattern string) string {
	_, path, _ := strings.Cut(pattern, "/api/")
	first, _, _ := strings.Cut(path, "/")
	switch first {
	case "health", "docs", "openapi.json":
		return "service"
	}
	return "control: " + first
}
