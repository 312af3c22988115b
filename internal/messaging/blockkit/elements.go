package blockkit

var (
	actionID = field{"action_id", false, str(0, maxIDCharacters)}
	confirm  = field{"confirm", false, schema{
		{"title", true, plainText(100)}, {"text", true, anyText(300)},
		{"confirm", true, plainText(30)}, {"deny", true, plainText(30)},
	}.check}
	placeholder = field{"placeholder", false, plainText(150)}
	option      = schema{{"text", true, anyText(75)}, {"value", true, str(0, 150)}, {"description", false, anyText(75)}, {"url", false, str(0, 3000)}}
	optionGroup = schema{{"label", true, plainText(75)}, {"options", true, list(1, 100, option.check)}}
	style       = field{"style", false, oneOf("primary", "danger")}
	focus       = field{"focus_on_load", false, boolean}
	label       = field{"accessibility_label", false, str(0, 75)}
	imageFields = schema{
		{"alt_text", true, str(0, 2000)}, {"image_url", false, str(1, 3000)}, {"slack_file", false, object},
	}
)

// interactive are the elements that a person can use, by type. Each gains an
// action_id.
var interactive = map[string]schema{
	"button":                     {{"text", true, plainText(75)}, {"url", false, str(0, 3000)}, {"value", false, str(0, 2000)}, style, confirm, label, actionID},
	"checkboxes":                 {{"options", true, list(1, 10, option.check)}, {"initial_options", false, list(0, 10, option.check)}, confirm, focus, actionID},
	"radio_buttons":              {{"options", true, list(1, 10, option.check)}, {"initial_option", false, option.check}, confirm, focus, actionID},
	"overflow":                   {{"options", true, list(1, 5, option.check)}, confirm, actionID},
	"datepicker":                 {{"initial_date", false, str(10, 10)}, placeholder, confirm, focus, actionID},
	"timepicker":                 {{"initial_time", false, str(5, 5)}, {"timezone", false, anyString}, placeholder, confirm, focus, actionID},
	"datetimepicker":             {{"initial_date_time", false, number}, confirm, focus, actionID},
	"static_select":              pick(options("initial_option", option.check)),
	"multi_static_select":        pick(options("initial_options", list(0, 100, option.check))),
	"external_select":            pick(schema{{"initial_option", false, option.check}, {"min_query_length", false, number}}),
	"multi_external_select":      pick(schema{{"initial_options", false, list(0, 100, option.check)}, {"min_query_length", false, number}}),
	"users_select":               pick(schema{{"initial_user", false, anyString}}),
	"multi_users_select":         pick(schema{{"initial_users", false, list(0, 100, anyString)}}),
	"conversations_select":       pick(schema{{"initial_conversation", false, anyString}, {"filter", false, object}}),
	"multi_conversations_select": pick(schema{{"initial_conversations", false, list(0, 100, anyString)}, {"filter", false, object}}),
	"channels_select":            pick(schema{{"initial_channel", false, anyString}}),
	"multi_channels_select":      pick(schema{{"initial_channels", false, list(0, 100, anyString)}}),
	"plain_text_input":           {{"multiline", false, boolean}, {"initial_value", false, anyString}, placeholder, focus, actionID},
	"email_text_input":           {{"initial_value", false, anyString}, placeholder, focus, actionID},
	"url_text_input":             {{"initial_value", false, anyString}, placeholder, focus, actionID},
	"number_input":               {{"is_decimal_allowed", true, boolean}, placeholder, focus, actionID},
	"rich_text_input":            {{"initial_value", false, object}, placeholder, focus, actionID},
	"file_input":                 {{"filetypes", false, list(0, 100, anyString)}, {"max_files", false, number}, actionID},
	"workflow_button":            {{"text", true, plainText(75)}, {"workflow", true, object}, style, label, actionID},
	"feedback_buttons":           {{"positive_button", true, object}, {"negative_button", true, object}, actionID},
	"icon_button":                {{"icon", true, anyString}, {"text", true, plainText(75)}, {"value", false, str(0, 2000)}, confirm, label, actionID},
}

// pick is what all select menus share, and what this one has besides.
func pick(more schema) schema {
	return append(more, placeholder, confirm, focus, actionID, field{"max_selected_items", false, number})
}

func options(initial string, check check) schema {
	return schema{{"options", false, list(1, 100, option.check)}, {"option_groups", false, list(1, 100, optionGroup.check)}, {initial, false, check}}
}

var checkInteractive = variants(interactive)

// interactiveElement checks an element that a person can use.
func interactiveElement(v *validator, n *node) {
	checkInteractive(v, n)
	kind := n.get("type").text()
	if _, ok := interactive[kind]; !ok {
		return
	}
	if (kind == "static_select" || kind == "multi_static_select") && n.get("options") == nil && n.get("option_groups") == nil {
		v.fail("missing required field: options")
	}
	if n.get("action_id").text() == "" {
		n.set("action_id", stringNode(v.newID()))
	}
}

// accessory is the element beside the text of a section: an image too.
func accessory(v *validator, n *node) {
	if n.kind == '{' && n.get("type").text() == "image" {
		image(v, n)
		return
	}
	interactiveElement(v, n)
}

func image(v *validator, n *node) {
	imageFields.check(v, n)
	if n.get("image_url") == nil && n.get("slack_file") == nil {
		v.fail("missing required field: image_url")
	}
}

// contextElement is a text object or an image.
func contextElement(v *validator, n *node) {
	if n.kind == '{' && n.get("type").text() == "image" {
		image(v, n)
		return
	}
	anyText(3000)(v, n)
}
