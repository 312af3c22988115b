package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/cause"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/record"
)

var noRequest = fault.New(fault.NotFound, "request_not_found", "No request of this number is recorded.")

func (c *Console) requestRoutes() {
	c.handle("GET /admin/v1/environments/{env}/requests", c.inside(func(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
		return listRequests(c, w, r, env)
	}), "limit", "cursor", "service", "status", "since", "client",
		"operation", "actor", "trace_id", "after_seq", "order", "method", "path", "principal", "q", "counts")
	c.handle("GET /admin/v1/environments/{env}/requests/{seq}", c.inside(showOneRequest(c.d.Clones)))
}

// recorded is a recorded request in replies.
type recorded struct {
	Seq        int64      `json:"seq" description:"Its number in the environment, in the order of arrival."`
	ID         string     `json:"id"`
	At         time.Time  `json:"at" description:"On the environment's clock."`
	ReceivedAt *time.Time `json:"received_at" description:"Real time; null for what an earlier version recorded."`
	Service    string     `json:"service"`
	Method     string     `json:"method"`
	Path       string     `json:"path"`
	Query      string     `json:"query"`
	Operations []string   `json:"operations" description:"What was asked, by upstream's names; a GraphQL document may ask for several things."`
	Actor      actorReply `json:"actor"`
	Principal  string     `json:"principal"`
	Client     string     `json:"client"`
	Via        *viaReply  `json:"via" description:"What made the request, when a tool did; null otherwise."`
	ParentSeq  *int64     `json:"parent_seq" description:"The request in whose course this one was made; null for none."`
	TraceID    *string    `json:"trace_id"`
	SpanID     *string    `json:"span_id"`
	Status     int        `json:"status"`
	DurationMS float64    `json:"duration_ms"`
	Fault      *faultNote `json:"fault" description:"What a fault rule did to it; null for nothing."`
	Bodies     string     `json:"bodies" enum:"kept,dropped"`
	Request    string     `json:"request_body"`
	Reply      string     `json:"response_body"`

	Counts *countsReply `json:"counts,omitempty" description:"Of a list that was asked for them: what the request did."`
}

// countsReply is the number of effects of a request.
type countsReply struct {
	Changes    int `json:"changes" description:"Things that it made, changed or removed."`
	Events     int `json:"events"`
	Deliveries int `json:"deliveries"`
}

// actorReply is the sender of a request.
type actorReply struct {
	Kind    string `json:"kind" enum:"agent,person,admin,system"`
	Service string `json:"service"`
	ID      string `json:"id" description:"The user within the service, or the token where there is no user."`
	Name    string `json:"name"`
}

// faultNote is the effect of a fault rule.
type faultNote struct {
	ID        string `json:"id" description:"Of the rule."`
	Do        string `json:"do"`
	Committed bool   `json:"committed" description:"Whether the request was carried out, or the delivery sent."`
}

// viaReply is the tool that made a request.
type viaReply struct {
	Kind string `json:"kind" enum:"mcp"`
	Tool string `json:"tool"`
}

// names resolves the names of actors, once for each.
type names struct {
	ctx   context.Context
	env   *environment.Environment
	known map[actorReply]string
	// causes caches the results of cause, by the number of the request.
	causes map[int64]causeReply
}

func namesIn(ctx context.Context, env *environment.Environment) *names {
	return &names{ctx, env, map[actorReply]string{}, map[int64]causeReply{}}
}

// actor returns the sender of a request.
func (n *names) actor(x *record.Request) actorReply {
	a := actorReply{Kind: x.Actor.String(), Service: x.Service, ID: x.ActorID}
	name, ok := n.known[a]
	if !ok {
		if people, populated := n.env.Service(x.Service).(environment.Populated); populated && a.ID != "" && x.Actor != record.Admin {
			if p, found, err := people.Population().Find(n.ctx, "", a.ID); err == nil && found {
				name = personName(p)
			}
		}
		n.known[a] = name
	}
	a.Name = name
	return a
}

func personName(p auth.Person) string {
	if p.Name != "" {
		return p.Name
	}
	return p.Handle
}

// listRequests replies with recorded requests.
func listRequests(c *Console, w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	f, err := requestFilter(r)
	if err == nil {
		err = checkService(c, f.Service)
	}
	if err == nil {
		err = checkOperation(c, f.Service, f.Operation)
	}
	if err != nil {
		return err
	}
	counted, err := truth(r, "counts", false)
	if err != nil {
		return err
	}
	after := f.After
	people := namesIn(r.Context(), env)
	show := people.show
	counts := map[int64]countsReply{}
	if counted {
		show = func(x record.Request) recorded {
			out, count := people.show(x), counts[x.Seq]
			out.Counts = &count
			return out
		}
	}
	return serveList(w, r, "request", "requests", newestFirst(func(position int64, limit int) ([]record.Request, error) {
		f.Limit = limit
		if f.Ascending {
			f.After = max(after, position)
		} else {
			f.Before = position
		}
		found := env.Recorder.List(f)
		if !counted {
			return found, nil
		}
		return found, countEffects(r.Context(), c.d.Environments.Platform.Entities(), env, found, counts)
	}), func(x *record.Request) string { return strconv.FormatInt(x.Seq, 10) }, show)
}

// countEffects sets the numbers of effects of some requests.
func countEffects(ctx context.Context, entities []diff.Entity, env *environment.Environment, found []record.Request,
	counts map[int64]countsReply) error {
	seqs := make([]int64, len(found))
	for i := range found {
		seqs[i] = found[i].Seq
	}
	told, err := outbox.CountByCause(ctx, env.Outbox, seqs)
	if err != nil {
		return err
	}
	changes := cause.Count(env.Journal, seqs, func(world, table string) bool {
		return slices.ContainsFunc(entities, func(e diff.Entity) bool { return e.World == world && e.Table == table })
	})
	for _, seq := range seqs {
		counts[seq] = countsReply{changes[seq], told[seq].Events, told[seq].Deliveries}
	}
	return nil
}

// requestFilter reads the filter of a list of requests.
func requestFilter(r *http.Request) (f record.Filter, err error) {
	q := r.URL.Query()
	f = record.Filter{Service: q.Get("service"), Client: q.Get("client"), Operation: q.Get("operation"), TraceID: q.Get("trace_id"),
		Method: q.Get("method"), Path: q.Get("path"), Principal: q.Get("principal"), Text: q.Get("q")}
	if other, not := strings.CutPrefix(f.Client, "!"); not {
		f.Client, f.NotClient = "", other
	}
	if text := q.Get("status"); len(text) == 3 && strings.HasSuffix(text, "xx") && text[0] >= '1' && text[0] <= '5' {
		f.Status = int(text[0] - '0')
	} else if text != "" {
		if f.Status, err = strconv.Atoi(text); err != nil || f.Status < 100 || f.Status > 599 {
			return f, environment.BadValue.At("status").Detailf("must be an HTTP status, or a class of them such as 4xx")
		}
	}
	if text := q.Get("since"); text != "" {
		if f.Since, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return f, environment.BadValue.At("since").Detailf("must be a time such as 2026-01-31T09:00:00Z")
		}
	}
	if text := q.Get("actor"); text != "" {
		actor, ok := record.ParseActor(text)
		if !ok {
			return f, environment.BadValue.At("actor").Detailf("must be one of %s", strings.Join(record.Actors(), ", "))
		}
		f.Actor = &actor
	}
	if text := q.Get("after_seq"); text != "" {
		if f.After, err = strconv.ParseInt(text, 10, 64); err != nil || f.After < 0 {
			return f, environment.BadValue.At("after_seq").Detailf("must be the number of a request")
		}
	}
	switch q.Get("order") {
	case "", "desc":
	case "asc":
		f.Ascending = true
	default:
		return f, environment.BadValue.At("order").Detailf("must be asc or desc")
	}
	return f, nil
}

// showOneRequest returns the handler that replies with one recorded request.
func showOneRequest(clones *clone.Cloner) func(http.ResponseWriter, *http.Request, *environment.Environment) error {
	return func(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
		seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
		if err != nil {
			return noRequest
		}
		x, ok := env.Recorder.Get(seq)
		if !ok {
			return noRequest
		}
		effects, err := effectsOf(r.Context(), clones, env, seq)
		if err != nil {
			return err
		}
		httpkit.WriteJSON(w, http.StatusOK, requestReply{namesIn(r.Context(), env).show(x), effects})
		return nil
	}
}

// requestReply is one recorded request, with its effects.
type requestReply struct {
	recorded
	Effects *effectsReply `json:"effects"`
}

func (n *names) show(x record.Request) recorded {
	out := recorded{Seq: x.Seq, ID: x.ID, At: x.At, Service: x.Service, Method: x.Method, Path: x.Path, Query: x.Query,
		Operations: operationsOf(&x), Actor: n.actor(&x), Principal: x.Principal, Client: x.Client, Status: x.Status,
		ReceivedAt: receivedAt(&x), Via: viaOf(&x), ParentSeq: parentOf(&x), DurationMS: inMilliseconds(x.Duration), Fault: faultOf(&x),
		Bodies: "kept", Request: string(x.Body), Reply: string(x.Reply)}
	if !x.Trace.IsZero() {
		trace, span := x.Trace.TraceID(), x.Trace.SpanID()
		out.TraceID, out.SpanID = &trace, &span
	}
	if x.Dropped {
		out.Bodies = "dropped"
	}
	return out
}

// operationsOf returns the operations of a request, an empty list if unknown.
func operationsOf(x *record.Request) []string {
	if x.Operations == nil {
		return []string{}
	}
	return x.Operations
}

// receivedAt returns when a request arrived, nil if that was not recorded.
func receivedAt(x *record.Request) *time.Time {
	if x.ReceivedAt.IsZero() {
		return nil
	}
	return &x.ReceivedAt
}

// viaOf returns the tool that made a request, nil for none.
func viaOf(x *record.Request) *viaReply {
	if x.Tool == "" {
		return nil
	}
	return &viaReply{"mcp", x.Tool}
}

// parentOf returns the number of the request during which one was made, nil for
// none.
func parentOf(x *record.Request) *int64 {
	if x.Parent == 0 {
		return nil
	}
	return &x.Parent
}

// faultOf returns the effect of a fault rule on a request, nil for none.
func faultOf(x *record.Request) *faultNote {
	if x.Fault == nil {
		return nil
	}
	return &faultNote{x.Fault.ID, x.Fault.Do, x.Fault.Committed}
}

func inMilliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
