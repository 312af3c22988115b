package record

import "regexp"

const secretNames = `token|password|secret|api_key|apiKey|key|access_token|accessToken|refresh_token|refreshToken|` +
	`client_secret|clientSecret|signing_secret|verification_token|bot_token|user_token|authorization|code`

var (
	// "password": "…" in JSON, also inside a JSON string.
	secretMember = regexp.MustCompile(`(?i)(\\?"(?:[a-z_]*(?:password|secret)|` + secretNames + `)\\?"\s*:\s*)\\?"(?:[^"\\]|\\[^"]|\\")*"?`)
	// secret: "…" in a document of GraphQL, which is a string of JSON.
	secretArgument = regexp.MustCompile(`(?is)([a-z_]*(?:password|secret)\s*:\s*)(?:\\"\\"\\".*?(?:\\"\\"\\"|$)|\\"(?:[^"\\]|\\\\(?:[^"\\]|\\["\\]))*(?:\\")?)`)
	// password=… in forms and queries.
	secretField = regexp.MustCompile(`(?i)((?:^|&)(?:[a-z_]*(?:password|secret)|` + secretNames + `)=)[^&]*`)
	// Whatever has the form of one of our tokens, wherever it stands.
	secretForm = regexp.MustCompile(`xox[bp]-[A-Za-z0-9-]{6,}|xapp-[A-Za-z0-9-]{6,}|(?:pat|oat|ort)-na1-[A-Za-z0-9-]{6,}|trk_(?:api|wh)_[A-Za-z0-9]{6,}|` +
		`sk_[A-Za-z0-9]{16,}|rt_[A-Za-z0-9]{20,}|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`)
)
