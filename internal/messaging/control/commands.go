package control

import (
	"net/http"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/messaging/webapi/callback"
	"understudy/internal/platform/budget"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/record"
)

// commandFailed and interactionFailed mean that an app did not reply, or replied
// with an error: 502.
var (
	commandFailed     = fault.New(fault.Unavailable, "command_failed", "The app did not answer.")
	interactionFailed = fault.New(fault.Unavailable, "interaction_failed", "The app did not answer.")
)

var commandRoutes = []route{
	{"POST /api/commands", "Register a slash command of an app.", createCommand},
	{"GET /api/commands", "List the slash commands of the workspace.", listCommands},
	{"DELETE /api/commands/{id}", "Remove a slash command.", deleteCommand},
	{"POST /api/commands/execute", "Run a slash command in a channel as the caller.", execute},
	{"POST /api/responses/{id}", "Answer a command or an interaction later: the response_url.", respond},
}

type commandRequest struct {
	Command      string `json:"command" required:"true" description:"With its slash, such as /deploy."`
	URL          string `json:"url" required:"true"`
	Description  string `json:"description,omitempty"`
	UsageHint    string `json:"usage_hint,omitempty"`
	ShouldEscape bool   `json:"should_escape,omitempty" description:"Write people and channels that the text names as ids."`
	AppID        string `json:"app_id,omitempty" description:"One that the caller manages. Left out: the app of the token, the first of these, or the first of the workspace."`
}

type commandReply struct {
	ID           string    `json:"id"`
	Command      string    `json:"command"`
	URL          string    `json:"url" description:"Empty where the caller does not manage the command."`
	Description  string    `json:"description"`
	UsageHint    string    `json:"usage_hint"`
	ShouldEscape bool      `json:"should_escape"`
	AppID        string    `json:"app_id"`
	CreatedAt    time.Time `json:"created_at"`
}

// createdCommandReply contains the command's own secrets if its creator does not
// manage the app; otherwise the app's secrets sign its requests.
type createdCommandReply struct {
	commandReply
	Token         string `json:"token,omitempty" description:"Only where the caller does not manage the app."`
	SigningSecret string `json:"signing_secret,omitempty" description:"Only where the caller does not manage the app."`
}

type commandsReply struct {
	Commands   []commandReply `json:"commands"`
	NextCursor string         `json:"next_cursor"`
}

type executeRequest struct {
	Command string `json:"command" required:"true"`
	Text    string `json:"text,omitempty"`
	Channel string `json:"channel" required:"true" description:"Id or name."`
}

type answeredReply struct {
	OK       bool `json:"ok"`
	Response any  `json:"response" description:"What the app answered at once; null for nothing."`
}

// answerMessage is the schema of a message to a response_url.
type answerMessage struct {
	hookMessage
	ResponseType    string `json:"response_type,omitempty" enum:"ephemeral,in_channel"`
	ReplaceOriginal bool   `json:"replace_original,omitempty"`
	DeleteOriginal  bool   `json:"delete_original,omitempty"`
}

func command(c *messaging.Command) commandReply {
	return commandReply{ID: c.ID, Command: c.Command, URL: c.URL, Description: c.Description, UsageHint: c.UsageHint,
		ShouldEscape: c.ShouldEscape, AppID: c.App, CreatedAt: when(c.Created)}
}

func createCommand(h *Handler, w http.ResponseWriter, r *http.Request) error {
	if _, err := h.caller(w, r); err != nil {
		return err
	}
	var in commandRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	switch "" {
	case in.Command:
		return missing.At("command")
	case in.URL:
		return missing.At("url")
	}
	c, a, err := h.appOf(w, r, in.AppID, (*messaging.Service).HostApp)
	if err != nil {
		return err
	}
	made, err := h.Service.CreateCommand(r.Context(), c, a, messaging.NewCommand{Command: in.Command, URL: in.URL,
		Description: in.Description, UsageHint: in.UsageHint, ShouldEscape: in.ShouldEscape})
	if err != nil {
		return err
	}
	out := createdCommandReply{commandReply: command(made)}
	secrets, own, err := h.Service.CommandSecrets(r.Context(), made, a)
	if err != nil {
		return err
	}
	if own {
		out.Token, out.SigningSecret = secrets.VerificationToken, secrets.SigningSecret
	}
	httpkit.WriteJSON(w, http.StatusCreated, out)
	return nil
}

func listCommands(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	return list[*messaging.Command]{
		kind: "command",
		find: func(after messaging.Place, limit int) ([]*messaging.Command, error) {
			return h.Service.Commands(r.Context(), c, after, limit)
		},
		place:  func(x *messaging.Command) messaging.Place { return messaging.Place{Created: x.Created, ID: x.ID} },
		plural: "commands",
		show:   func(x *messaging.Command) any { return command(x) },
	}.serve(w, r)
}

func deleteCommand(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	if err := h.Service.DeleteCommand(r.Context(), c, r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h *Handler) sender() callback.Sender {
	return callback.Sender{Client: h.Client, ResponseURL: func(secret string) string { return h.BaseURL() + "/api/responses/" + secret }}
}

func execute(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	var in executeRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	switch "" {
	case in.Command:
		return missing.At("command")
	case in.Channel:
		return missing.At("channel")
	}
	call, err := h.Service.Invoke(r.Context(), c, in.Command, in.Text, in.Channel)
	if err != nil {
		return err
	}
	record.Hide(w, call.Secrets.VerificationToken, call.Secrets.SigningSecret, call.Response)
	reply, err := h.sender().Command(r.Context(), c, call, commandFailed)
	if err != nil {
		return err
	}
	return h.answered(w, r, call.Response, reply, commandFailed, call.Secrets)
}

// answered replies with an app's immediate answer and applies it. It removes
// secrets that the app was sent from the answer before it is stored.
func (h *Handler) answered(w http.ResponseWriter, r *http.Request, response string, reply outbound.Reply, failed *fault.Error, sent messaging.Secrets) error {
	failed = failed.With(callback.AnswerOf(reply))
	a, shown, err := callback.ReadReply(reply.Body)
	if err != nil {
		return failed.Detailf("The app's answer is not a message: %.200s", reply.Body)
	}
	a.Hidden = []string{sent.VerificationToken, sent.SigningSecret, response}
	if response != "" && callback.Says(a) {
		if err := h.Service.AnswerAtOnce(r.Context(), response, a); err != nil {
			if e, ok := fault.As(err); ok {
				return failed.Detailf("The app's answer was refused: %s.", e.Reason)
			}
			return err
		}
	}
	httpkit.WriteJSON(w, http.StatusOK, answeredReply{OK: true, Response: shown})
	return nil
}

// respond accepts an app's answer at a response_url. Like upstream it replies in
// plain text.
func respond(h *Handler, w http.ResponseWriter, r *http.Request) error {
	record.SetPath(w, "/api/responses/[redacted]")
	if err := h.respondThrough(w, r); err != nil {
		return h.writeText(w, r, err)
	}
	writeText(w, http.StatusOK, "ok")
	return nil
}

func (h *Handler) respondThrough(w http.ResponseWriter, r *http.Request) error {
	secret := r.PathValue("id")
	app, err := h.Service.ResponseApp(r.Context(), secret)
	if err != nil {
		return err
	}
	if err := httpkit.BeginWith(w, r, app); err != nil {
		return err
	}
	a, err := readPayload(r)
	if err != nil {
		return err
	}
	a.Hidden = []string{secret}
	return h.Service.Respond(r.Context(), secret, a)
}

// readPayload reads a message from the body of a request. It returns the errors
// of httpkit.ReadBody, budget.Form and callback.ReadPayload.
func readPayload(r *http.Request) (messaging.Answer, error) {
	body, err := httpkit.ReadBody(r, maxBody)
	if err == nil {
		err = budget.Form(r.Context(), body)
	}
	if err == nil {
		err = budget.JSON(r.Context(), body)
	}
	if err != nil {
		return messaging.Answer{}, err
	}
	return callback.ReadPayload(body)
}
