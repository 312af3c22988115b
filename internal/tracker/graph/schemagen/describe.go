package main

import (
	"strings"
	"unicode"
)

// words splits a name into its words, in lower case: "createdAt" is "created at".
func words(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte(' ')
		}
		if unicode.IsUpper(r) && (i == 0 || !unicode.IsUpper(runes[i-1])) && (i+1 == len(runes) || !unicode.IsUpper(runes[i+1])) {
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// nouns replace names of kinds that users do not know.
var nouns = map[string]string{"issue label": "label", "workflow state": "workflow state", "external user": "external user"}

func noun(name string) string {
	w := words(name)
	if n := nouns[w]; n != "" {
		return n
	}
	return w
}

func article(w string) string {
	if strings.ContainsRune("aeiou", unicode.ToLower([]rune(w)[0])) && !strings.HasPrefix(w, "user") && !strings.HasPrefix(w, "un") {
		return "an " + w
	}
	return "a " + w
}

// suffixes are suffixes of type names, each with the description of such a type.
var suffixes = []struct{ suffix, text string }{
	{"Connection", "A page of a list: %p."},
	{"Edge", "A %n in a list, with its cursor."},
	{"BatchPayload", "The outcome of a write of several %ns."},
	{"ArchivePayload", "The outcome of archiving, restoring or deleting %a."},
	{"Payload", "The outcome of a write of %a."},
	{"CollectionFilter", "A condition on the list of %ns of an object."},
	{"Comparator", "A comparison with %a value. All operators that are given must hold."},
	{"Filter", "A condition on %a. All fields that are given must hold."},
	{"CreateInput", "What a new %n is made of."},
	{"UpdateInput", "What changes of %a. A field that is left out stays as it is."},
	{"SortInput", "One key of an order of %ns. Exactly one field is given."},
	{"Sort", "How to order by %n."},
	{"Input", "Input for %n."},
}

// types are the descriptions of types that follow from no rule.
var types = map[string]string{
	"Query": "Everything that can be read.", "Mutation": "Everything that can be changed. The fields of one document run one after another.",
	"DateTime": "A moment in ISO 8601, with milliseconds and Z in replies.", "TimelessDate": "A date, YYYY-MM-DD.",
	"DateTimeOrDuration":     "A moment in ISO 8601, or a duration from now such as -P2W1D.",
	"TimelessDateOrDuration": "A date, or a duration from today such as P1W.", "UUID": "An id: 36 characters of hexadecimal digits and hyphens.", "JSON": "Any JSON value, as a text.",
	"JSONObject": "Names and values of any form, not as a text.", "Duration": "A duration in ISO 8601.", "Node": "An object with an id.", "PageInfo": "Where a page stands in its list.",
	"Organization": "A workspace: everything else belongs to one.", "Team": "A group of people with issues, a workflow, cycles and labels of their own.",
	"Issue": "A piece of work of a team.", "Comment": "A comment on an issue or a project, or a reply to one.", "Project": "Work of one or more teams towards one result.",
	"Cycle": "A span of time that a team plans issues for.", "IssueLabel": "A label of a team or of the whole organization.", "User": "A member of the organization.",
	"WorkflowState": "A step of a team's workflow.", "ProjectStatus": "A step that projects go through.", "Webhook": "A registration for events.",
	"IssueSearchResult": "An issue that a search has found.", "DeletePayload": "The outcome of a deletion.",
	"RateLimitPayload": "The budgets of the caller.", "RateLimitResultPayload": "One budget of the caller.",
	"IssueSearchPayload": "A page of what a search has found.", "ArchiveResponse": "Archived objects beside a list; always empty here.",
	"IssuePriorityValue": "A priority with the word for it.", "IssueSharedAccess": "Who outside its team may see an issue.", "ArchivePayload": "The outcome of archiving, restoring or deleting something.",
	"PaginationOrderBy": "The time that a list is ordered by, newest first.",
}

// fields are the descriptions of fields of any type, and of arguments, by name.
var fields = map[string]string{
	"id": "The id, a UUID.", "createdAt": "When it was made.", "updatedAt": "When it was last changed.", "archivedAt": "When it was archived, or null.",
	"nodes": "The objects of the page.", "edges": "The same with their cursors.", "pageInfo": "Its place in the list.",
	"node": "The object itself.", "cursor": "The place of the object in the list.", "success": "Whether the write was done; a refused one is an error instead.",
	"lastSyncId": "A number that grows with every write in the organization.", "after": "Behind this cursor.", "before": "In front of this cursor.",
	"first": "The first so many, 1 to 250; 50 by default.", "last": "The last so many, 1 to 250.",
	"includeArchived": "Archived objects too.", "orderBy": "createdAt, the default, or updatedAt; newest first.",
	"filter": "What the objects must fulfil.", "sort": "Keys to order by, instead of orderBy.", "input": "What to write.",
	"and": "All of these must hold.", "or": "One of these must hold, if any.", "some": "Holds for at least one object of the list.",
	"every": "Holds for every object of the list, also when it is empty.", "length": "A condition on how many objects the list has.",
	"null": "True for a missing value, false for one that is there.", "eq": "Equal to this.", "neq": "Not equal to this, or missing.", "in": "One of these; an empty list never holds.",
	"nin": "None of these.", "lt": "Less than this.", "lte": "Less than or equal to this.", "gt": "Greater than this.", "gte": "Greater than or equal to this.",
	"contains": "Holds this text.", "notContains": "Does not hold this text.", "startsWith": "Begins with this text.", "notStartsWith": "Does not begin with this text.",
	"endsWith": "Ends with this text.", "notEndsWith": "Does not end with this text.", "eqIgnoreCase": "Equal to this, whatever the case.",
	"neqIgnoreCase": "Not equal to this, whatever the case.", "containsIgnoreCase": "Holds this text, whatever the case.",
	"notContainsIgnoreCase": "Does not hold this text, whatever the case.", "startsWithIgnoreCase": "Begins with this text, whatever the case.",
	"containsIgnoreCaseAndAccent": "Holds this text, whatever case and accents.", "order": "Ascending or descending; ascending by default.",
	"nulls": "Whether missing values come first or last; last by default.", "hasNextPage": "Whether the list goes on behind the page.",
	"hasPreviousPage": "Whether the list has objects in front of the page.", "startCursor": "The cursor of the first object; null on an empty page.",
	"endCursor": "The cursor of the last object; null on an empty page.", "entity": "The object as it is now; null when it is gone.",
	"entityId": "The id of what was deleted.", "url": "Where people open it in a browser.", "name": "What people call it.", "title": "The line that stands for it in lists.", "description": "What it is about, in Markdown.",
	"color": "The colour in which it is shown, #rrggbb.", "icon": "The name of the picture beside it.", "key": "The key that identifiers of issues begin with.", "identifier": "The key of the team and the number, such as ENG-12.",
	"number": "The number in the team; none is given twice.", "priority": "The priority: 0 none, 1 urgent, 2 high, 3 medium, 4 low.", "priorityLabel": "The priority as a word.",
	"estimate": "The estimate, in points.", "body": "The text, in Markdown.", "email": "The e-mail address.", "trashed": "Whether it is in the trash; null when it is not.",
	"branchName": "The name that a branch for the issue should have.", "previousIdentifiers": "Identifiers that the issue had in other teams.",
	"startedAt": "When work on it began.", "completedAt": "When it was completed.", "canceledAt": "When it was canceled.", "dueDate": "The day by which it should be done.",
	"startsAt": "When it starts.", "endsAt": "When it ends.", "progress": "The part that is done, 0 to 1; what is started counts a quarter.", "isMe": "Whether it is the caller.",
	"totalCount": "How many there are on all pages.", "secret": "What deliveries are signed with.", "resourceTypes": "The kinds of objects whose events are delivered.",
	"enabled": "Whether it is on.", "term": "The words to look for.", "includeComments": "Whether the words of comments are looked for too.",
	"permanentlyDelete": "Whether it is removed for good, which admins may do, instead of going into the trash.", "trash": "Whether it goes into the trash.",
	"state": "The step of the workflow it is in.", "labelIds": "The ids of the labels; on update they replace the labels.", "addedLabelIds": "Labels to put on it.",
	"removedLabelIds": "Labels to take off it.", "sortOrder": "Its place in the manual order.", "timezone": "The time zone, as an IANA name.",
}

// describe returns the description of a type.
func describe(name string, t *typeDef) string {
	if text := types[name]; text != "" {
		return text
	}
	for _, s := range suffixes {
		rest, ok := strings.CutSuffix(name, s.suffix)
		if !ok || rest == "" {
			continue
		}
		rest = strings.TrimPrefix(rest, "Nullable")
		if rest == "" {
			rest = "Value"
		}
		n := noun(rest)
		return strings.NewReplacer("%ns", plural(n), "%n", n, "%a", article(n), "%p", plural(n)).Replace(s.text)
	}
	switch t.Kind {
	case "ENUM":
		return "The values that " + article(noun(name)) + " can have."
	case "SCALAR":
		return "A value of the form " + name + "."
	}
	if t.Kind == "OBJECT" {
		return "From an area that is not served: links to " + article(noun(name)) + " are null, lists empty."
	}
	return "What a request says about " + article(noun(name)) + "."
}

func plural(n string) string {
	switch {
	case strings.HasSuffix(n, "s"):
		return n + "es"
	case strings.HasSuffix(n, "y") && !strings.HasSuffix(n, "ay") && !strings.HasSuffix(n, "ey"):
		return n[:len(n)-1] + "ies"
	}
	return n + "s"
}

// describeField returns the description of a field, an input field or an argument.
func describeField(owner, name string, f *fieldDef) string {
	text := describeServed(owner, name, f)
	if f.Unserved {
		text += " Null only."
	}
	return text
}

func describeServed(owner, name string, f *fieldDef) string {
	target := named(f.Type)
	if verb, subject, ok := verbOf(name); ok && owner == "Mutation" {
		return verb + " " + article(subject) + "."
	}
	if text := moments[name]; text != "" {
		return text
	}
	what, known := phrases[owner+"."+name]
	if !known {
		what, known = phrase(name)
	}
	switch {
	case owner == "Query" && known:
		return sentence(what)
	case owner == "Query" && strings.HasSuffix(target, "Connection"):
		return "Every one of the " + words(name) + " that the caller may see, in pages."
	case owner == "Query":
		return "The " + noun(target) + " with an id."
	case strings.HasSuffix(target, "Comparator"):
		return "Compares " + what + "."
	case strings.HasSuffix(target, "Filter"):
		return "What must hold of " + what + "."
	case strings.HasSuffix(target, "Sort"):
		return "Puts in the order of " + what + "."
	case fields[name] != "":
		return fields[name]
	case known:
		return sentence(what)
	case strings.HasSuffix(name, "Id"), strings.HasSuffix(name, "Ids"):
		one := strings.TrimSuffix(strings.TrimSuffix(name, "s"), "Id")
		if what, known = phrase(one); !known {
			what = article(noun(one))
		}
		if strings.HasSuffix(name, "Ids") {
			return "UUIDs, each of which names " + what + "."
		}
		return "The UUID that names " + what + "."
	case strings.HasSuffix(name, "At"):
		return "When it was " + strings.TrimSuffix(words(name), " at") + ", or null."
	case target == "Boolean":
		return "Whether this applies: " + words(name) + "."
	case strings.HasSuffix(target, "Connection"):
		return "Its " + words(name) + ", in pages."
	case strings.HasPrefix(f.Type, "["):
		return "Its " + words(name) + ", as a list."
	case f.Type == target && !builtIn[target]:
		return "Its " + words(name) + ", " + article(noun(target)) + ", or null."
	case strings.HasSuffix(f.Type, "!"):
		return "Its " + words(name) + ", never null."
	}
	return "Its " + words(name) + ", or null."
}

// verbs are the endings of the names of mutations.
var verbs = []struct{ suffix, text string }{{"BatchCreate", "Makes several objects of the kind"}, {"BatchUpdate", "Changes several objects of the kind in the same way,"},
	{"Create", "Makes"}, {"Update", "Changes"}, {"Delete", "Deletes"}, {"Unarchive", "Brings back"}, {"Archive", "Archives"},
	{"AddLabel", "Puts a label on"}, {"RemoveLabel", "Takes a label off"}, {"Unsubscribe", "Ends a subscription to"}, {"Subscribe", "Subscribes a user to"},
	{"Unresolve", "Reopens the thread of"}, {"Resolve", "Resolves the thread of"}, {"RotateSecret", "Makes a new secret for"}}

func verbOf(name string) (verb, subject string, ok bool) {
	for _, v := range verbs {
		if rest, found := strings.CutSuffix(name, v.suffix); found {
			return v.text, noun(rest), true
		}
	}
	return "", "", false
}

// describeValue returns the description of a value of an enum.
func describeValue(enum, value string) string {
	return strings.ToUpper(words(value)[:1]) + words(value)[1:] + ", as " + article(noun(enum)) + "."
}
