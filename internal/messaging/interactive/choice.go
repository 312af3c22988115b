package interactive

import (
	"regexp"
	"strings"
	"time"
)

// selections maps the type of an element to the member that holds the choice;
// inputs have a value. Buttons are not in it.
var selections = map[string]string{
	"static_select": "selected_option", "external_select": "selected_option", "overflow": "selected_option", "radio_buttons": "selected_option",
	"users_select": "selected_user", "channels_select": "selected_channel", "conversations_select": "selected_conversation",
	"multi_static_select": "selected_options", "multi_external_select": "selected_options", "checkboxes": "selected_options",
	"multi_users_select": "selected_users", "multi_channels_select": "selected_channels", "multi_conversations_select": "selected_conversations",
	"datepicker": "selected_date", "timepicker": "selected_time", "datetimepicker": "selected_date_time",
	"plain_text_input": "value", "email_text_input": "value", "url_text_input": "value", "number_input": "value",
	"rich_text_input": "rich_text_value", "file_input": "files",
}

// forms are the formats of the values of pickers.
var forms = map[string]*regexp.Regexp{
	"datepicker": regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`),
	"timepicker": regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d$`),
}

// initial returns the initial choice, or null or an empty list.
func (e Element) initial() any {
	member := selections[e.Kind()]
	name := strings.Replace(member, "selected_", "initial_", 1)
	if member == "value" || member == "rich_text_value" {
		name = "initial_value"
	}
	if v := e.is[name]; v != nil || !strings.HasSuffix(member, "s") {
		return v
	}
	return []any{}
}

// choose returns a choice in its wire form; an option may be named by its value
// alone. It returns NoSuchOption.
func (e Element) choose(given any) (any, error) {
	switch selections[e.Kind()] {
	case "selected_option":
		return e.option(given)
	case "selected_options":
		values, ok := given.([]any)
		if !ok {
			return nil, NoSuchOption.Detailf("A %s takes a list of options.", e.Kind())
		}
		out := make([]any, len(values))
		for i, v := range values {
			o, err := e.option(v)
			if err != nil {
				return nil, err
			}
			out[i] = o
		}
		return out, e.several(out)
	case "selected_users", "selected_channels", "selected_conversations":
		values, ok := given.([]any)
		for _, v := range values {
			_, text := v.(string)
			ok = ok && text
		}
		if !ok {
			return nil, NoSuchOption.Detailf("A %s takes a list of ids.", e.Kind())
		}
		return values, e.several(values)
	case "selected_date_time":
		if _, ok := given.(float64); !ok {
			return nil, NoSuchOption.Detailf("A datetimepicker takes a time in seconds since 1970.")
		}
	case "rich_text_value", "files":
	default:
		text, ok := given.(string)
		if form := forms[e.Kind()]; !ok || form != nil && !form.MatchString(text) {
			return nil, NoSuchOption.Detailf("A %s does not take this value.", e.Kind())
		}
		if _, err := time.Parse(time.DateOnly, text); e.Kind() == "datepicker" && err != nil {
			return nil, NoSuchOption.Detailf("There is no day %s.", text)
		}
	}
	return given, nil
}

// several checks multiple choices: options in wire form, or ids. It returns
// NoSuchOption.
func (e Element) several(values []any) error {
	if most, ok := e.is["max_selected_items"].(float64); ok && float64(len(values)) > most {
		return NoSuchOption.Detailf("A %s with max_selected_items %v does not take %d.", e.Kind(), most, len(values))
	}
	seen := map[string]bool{}
	for _, v := range values {
		if o, ok := v.(object); ok {
			v = o["value"]
		}
		name, _ := v.(string)
		if seen[name] {
			return NoSuchOption.Detailf("%q is chosen twice.", name)
		}
		seen[name] = true
	}
	return nil
}

// option returns the option that v names, by its value or as an object with one.
// If the options come from the app, any value is accepted. It returns
// NoSuchOption with the existing values.
func (e Element) option(v any) (any, error) {
	name, isText := v.(string)
	given, isObject := v.(object)
	if isObject {
		name, isText = given["value"].(string)
	}
	if !isText {
		return nil, NoSuchOption.Detailf("Give the value of the option, as text.")
	}
	if strings.HasSuffix(e.Kind(), "external_select") {
		if isObject {
			return given, nil
		}
		return object{"text": object{"type": "plain_text", "text": name, "emoji": true}, "value": name}, nil
	}
	var values []string
	for _, o := range e.options() {
		value, _ := o["value"].(string)
		if value == name {
			return o, nil
		}
		values = append(values, value)
	}
	return nil, NoSuchOption.Detailf("There is no option %q; there are %s.", name, strings.Join(values, ", "))
}

// options returns the options of an element, including those in groups.
func (e Element) options() (out []object) {
	add := func(list any) {
		for _, o := range asList(list) {
			if o, ok := o.(object); ok {
				out = append(out, o)
			}
		}
	}
	add(e.is["options"])
	for _, group := range asList(e.is["option_groups"]) {
		g, _ := group.(object)
		add(g["options"])
	}
	return out
}

func asList(v any) []any { l, _ := v.([]any); return l }
