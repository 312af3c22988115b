package rest

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/ratelimit"
)

// Policy names, as clients know them.
const (
	tenSecondly = "TEN_SECONDLY_ROLLING"
	daily       = "DAILY"
	secondly    = "SECONDLY"
	window      = 10 * time.Second
	// searchesPerSecond is upstream's limit of searches for all apps of a portal together.
	searchesPerSecond = 5
)

// allowance is what a credential class may do.
type allowance struct{ perWindow, perDay float64 }

// tiers are the classes of private apps; "+addon" is the API add-on of any tier.
var tiers = map[string]allowance{
	"free":               {100, 250_000},
	"starter":            {100, 250_000},
	"professional":       {190, 625_000},
	"enterprise":         {190, 1_000_000},
	"free+addon":         {250, 1_000_000},
	"starter+addon":      {250, 1_000_000},
	"professional+addon": {250, 1_000_000},
	"enterprise+addon":   {250, 1_000_000},
}

// publicApp is the class of OAuth tokens.
var publicApp = allowance{110, 625_000}

var (
	errWindow   = fault.New(fault.RateLimited, "ten_secondly", "You have reached your ten_secondly_rolling limit.")
	errSearches = fault.New(fault.RateLimited, "secondly", "You have reached your secondly limit.")
	errDaily    = fault.New(fault.RateLimited, "daily", "You have reached your daily limit.")
)

// charge counts the call against the window of its token and the day of its
// portal, and announces what is left.
func (c *call) charge() error {
	a, key := c.allowance()
	cost, perDay := 1.0, 1.0
	looks := httpkit.IsLooking(c.r.Context())
	switch {
	case looks:
		cost, perDay = 0, 0
	case c.limitsSearch():
		cost = 0 // it has a limit of its own
	}
	short, long := c.take(a, key, cost, perDay)
	c.announce(a, short, long)
	switch {
	case looks:
	case !long.OK:
		return errDaily.After(long.RetryAfter)
	case !short.OK:
		return errWindow.After(short.RetryAfter)
	case cost == 0 && short.Limit == a.perWindow: // limits are real
		if d := c.Limiter.Take("crm/"+c.principal.Tenant+"/search", ratelimit.Policy{Name: secondly, Shape: ratelimit.Rolling, Limit: searchesPerSecond, Window: time.Second}, 1); !d.OK {
			return errSearches.After(d.RetryAfter)
		}
	}
	return nil
}

// allowance returns what the credential may do, and the key of its limit.
func (c *call) allowance() (a allowance, key string) {
	p := c.principal
	a, ok := tiers[p.Tier]
	if !ok {
		a = tiers["professional"]
	}
	key = p.Tenant + "/" + p.TokenID
	if p.Kind == auth.OAuth && !p.Acting { // one allowance for an app in a portal, whichever token it uses
		a, key = publicApp, p.Tenant+"/app/"+p.App
	}
	return a, key
}

// take charges the limits of the window and of the day.
func (c *call) take(a allowance, key string, cost, perDay float64) (short, long ratelimit.Decision) {
	short = c.Limiter.Take("crm/"+key, ratelimit.Policy{Name: tenSecondly, Shape: ratelimit.Rolling, Limit: a.perWindow, Window: window}, cost)
	long = c.Limiter.Take("crm/"+c.principal.Tenant, ratelimit.Policy{Name: daily, Shape: ratelimit.Daily, Limit: a.perDay}, perDay)
	return short, long
}

// announceUncharged announces the limits of a call that is not charged: as they
// are, or as if that of the window were spent.
func (c *call) announceUncharged(spent bool) {
	a, key := c.allowance()
	short, long := c.take(a, key, 0, 0)
	if math.IsInf(short.Limit, 1) {
		short.Limit, short.Remaining = a.perWindow, a.perWindow
	}
	if spent {
		short.Remaining = 0
	}
	c.announce(a, short, long)
}

// announce sets the headers that every reply to a known caller has.
func (c *call) announce(a allowance, short, long ratelimit.Decision) {
	h := c.w.Header()
	set := func(name string, v, unlimited float64) {
		if math.IsInf(v, 1) {
			v = unlimited
		}
		h[name] = []string{strconv.FormatInt(int64(v), 10)}
	}
	for _, prefix := range []string{"X-Crm-Ratelimit-", "X-Hubspot-Ratelimit-"} {
		set(prefix+"Max", short.Limit, a.perWindow)
		set(prefix+"Remaining", short.Remaining, a.perWindow)
		h[prefix+"Interval-Milliseconds"] = []string{"10000"}
		set(prefix+"Daily", long.Limit, a.perDay)
		set(prefix+"Daily-Remaining", long.Remaining, a.perDay)
	}
	set("X-Hubspot-Ratelimit-Secondly", math.Floor(short.Limit/10), math.Floor(a.perWindow/10))
	set("X-Hubspot-Ratelimit-Secondly-Remaining", math.Floor(min(short.Remaining, short.Limit/10)), math.Floor(a.perWindow/10))
	c.dailyLimit, c.dailyRemaining = int64(a.perDay), int64(a.perDay)
	if !math.IsInf(long.Limit, 1) {
		c.dailyLimit, c.dailyRemaining = int64(long.Limit), int64(long.Remaining)
	}
}

// limitsSearch reports whether the call is a search that has a limit of its own.
func (c *call) limitsSearch() bool {
	return c.SearchLimit && c.r.Method == http.MethodPost && strings.HasSuffix(strings.TrimSuffix(c.r.URL.Path, "/"), "/search")
}
