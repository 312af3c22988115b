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

// The names of policies, as clients know them.
const (
	tenSecondly = "TEN_SECONDLY_ROLLING"
	daily       = "DAILY"
	secondly    = "SECONDLY"
	window      = 10 * time.Second
	// searchesPerSecond is upstream's limit of searches for all apps of a portal
	// together.
	searchesPerSecond = 5
)

// allowance is the limits of a credential class.
type allowance struct{ perWindow, perDay float64 }

// tiers maps the classes of private apps to their limits; "+addon" is the API
// add-on of any tier.
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

// publicApp is the limits of OAuth tokens.
var publicApp = allowance{110, 625_000}

var (
	errWindow   = fault.New(fault.RateLimited, "ten_secondly", "You have reached your ten_secondly_rolling limit.")
	errSearches = fault.New(fault.RateLimited, "secondly", "You have reached your secondly limit.")
	errDaily    = fault.New(fault.RateLimited, "daily", "You have reached your daily limit.")
)

// charge charges the call to the window of its token and the day of its portal,
// and sets the headers for what remains.
func (c *call) charge() error {
	a, key := c.allowance()
	cost, perDay := 1.0, 1.0
	looks := httpkit.IsLooking(c.r.Context())
	switch {
	case looks:
		cost, perDay = 0, 0
	case c.limitsSearch():
		cost = 0 // charged to the search limit instead
	}
	short, long := c.take(a, key, cost, perDay)
	c.announce(a, short, long)
	switch {
	case looks:
	case !long.OK:
		return errDaily.After(long.RetryAfter)
	case !short.OK:
		return errWindow.After(short.RetryAfter)
	case cost == 0 && short.Limit == a.perWindow: // in mode real
		if d := c.Limiter.Take("crm/"+c.principal.Tenant+"/search", ratelimit.Policy{Name: secondly, Shape: ratelimit.Rolling, Limit: searchesPerSecond, Window: time.Second}, 1); !d.OK {
			return errSearches.After(d.RetryAfter)
		}
	}
	return nil
}

// allowance returns the limits of the credential, and the key of its window.
func (c *call) allowance() (a allowance, key string) {
	p := c.principal
	a, ok := tiers[p.Tier]
	if !ok {
		a = tiers["professional"]
	}
	key = p.Tenant + "/" + p.TokenID
	if p.Kind == auth.OAuth && !p.Acting { // all tokens of an app in a portal share one window
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

// announceUncharged sets the headers of a call that is not charged: the current
// limits, or with spent an exhausted window.
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

// announce sets the limit headers that every authenticated reply has.
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

// limitsSearch reports whether the call is charged to the search limit.
func (c *call) limitsSearch() bool {
	return c.SearchLimit && c.r.Method == http.MethodPost && strings.HasSuffix(strings.TrimSuffix(c.r.URL.Path, "/"), "/search")
}
