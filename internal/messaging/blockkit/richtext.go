package blockkit

// richPart checks a part of a rich_text block.
func richPart(v *validator, n *node) {
	item := check(richElement)
	switch kind := n.get("type").text(); kind {
	case "rich_text_section", "rich_text_quote", "rich_text_preformatted":
	case "rich_text_list":
		item = richPart
		schema{{"style", true, oneOf("bullet", "ordered")}, {"indent", false, number}, {"offset", false, number}}.check(v, n)
	default:
		unsupported(v, n)
		return
	}
	schema{{"elements", true, list(0, 10_000, item)}, {"border", false, number}}.check(v, n)
}

// richElements are what can stand in a line of rich text.
var richElements = map[string]schema{
	"text":      {{"text", true, anyString}, {"style", false, object}},
	"link":      {{"url", true, str(1, 12000)}, {"text", false, anyString}, {"style", false, object}},
	"user":      {{"user_id", true, anyString}},
	"usergroup": {{"usergroup_id", true, anyString}},
	"channel":   {{"channel_id", true, anyString}},
	"team":      {{"team_id", true, anyString}},
	"emoji":     {{"name", true, anyString}},
	"broadcast": {{"range", true, oneOf("here", "channel", "everyone")}},
	"color":     {{"value", true, anyString}},
	"date":      {{"timestamp", true, number}, {"format", true, anyString}, {"fallback", false, anyString}},
	"file":      {{"file_id", false, anyString}},
	"message":   {},
}

var richElement = variants(richElements)

func unsupported(v *validator, n *node) {
	switch kind := n.get("type"); {
	case n.kind != '{':
		v.fail("must provide an object")
	case kind == nil:
		v.fail("missing required field: type")
	default:
		v.in("type", func() { v.fail("unsupported type: " + clip(kind.text())) })
	}
}
