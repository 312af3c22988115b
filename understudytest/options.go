package understudytest

// Option sets a property of the world that New makes.
type Option func(*options)

type options struct {
	environment string         // to fork; "" for one that is made of made
	made        map[string]any // of the environment to fork
	fork        map[string]any // of the fork
}

// Fixture fills the world from a bundled fixture, such as demo.
func Fixture(name string) Option { return makes("fixture", name) }

// Document fills the world from a seed document, YAML or JSON.
func Document(text string) Option { return makes("document", text) }

// Seed makes ids and order the same each time.
func Seed(n int64) Option { return makes("seed", n) }

// Clock freezes the world's clock at a time (RFC 3339).
func Clock(at string) Option { return makes("clock", at) }

// Environment forks an environment that is there, by id or name, instead of
// making one. Fixture and Document do not go with it; Seed and Clock are the fork's then.
func Environment(env string) Option { return func(o *options) { o.environment = env } }

// Destinations replaces the beginnings of webhook, command and interaction URLs
// when something is sent: {"http://bot.invalid": "http://127.0.0.1:4777"}.
func Destinations(from map[string]string) Option { return With("destinations", from) }

// Faults begins the world with these rules, as Fault adds them.
func Faults(rules ...any) Option { return With("faults", rules) }

// RateLimits sets the limits: real, or xN. They are off without it.
func RateLimits(setting string) Option { return With("rate_limits", setting) }

// With sets any member of the request that forks, such as recordings or id.
func With(member string, value any) Option {
	return func(o *options) { o.fork[member] = value }
}

func makes(member string, value any) Option {
	return func(o *options) { o.made[member] = value }
}
