package agentdiff

import (
	"slices"
	"strings"
)

// entity maps a table of Agent-Diff to an entity of this program.
type entity struct {
	name   string
	fields map[string]field // by their columns
	// ends is the column whose value marks a row as deleted, if the entity is really
	// deleted here; otherwise "".
	ends string
}

// field maps a column to a field.
type field struct {
	to      string
	derived bool           // constant or derived from other changes, so that "only" ignores it
	values  map[string]any // maps its values; nil if they are the same
	refers  bool           // refers to a thing by its id
	json    bool           // a list or an object, in which texts cannot be searched
}

// references are the fields that refer to things of the seed template.
var references = []string{"channel", "user", "teamId", "stateId", "assigneeId", "creatorId", "userId", "issueId", "parentId", "labelIds"}

// fields parses columns, "column" or "column:field"; a trailing * marks one that
// is constant or derived, a ! one that contains JSON.
func fields(columns string) map[string]field {
	out := map[string]field{}
	for _, c := range strings.Fields(columns) {
		f := field{derived: strings.HasSuffix(c, "*"), json: strings.HasSuffix(c, "!")}
		c = strings.TrimRight(c, "*!")
		column, to, other := strings.Cut(c, ":")
		if f.to = column; other {
			f.to = to
		}
		f.refers = slices.Contains(references, f.to)
		out[column] = f
	}
	return out
}

// entities are the tables by service and name.
var entities = map[string]map[string]entity{
	"slack": {
		"messages": {name: "messaging.message", fields: fields(`message_id:ts ts channel_id:channel user_id:user message_text:text parent_id:thread_ts
			blocks! type created_at:ts*`)},
		"channels": {name: "messaging.channel", fields: fields(`channel_id:id channel_name:name is_private is_dm:is_im is_gc:is_mpim is_archived
			topic_text:topic.value purpose_text:purpose.value team_id:context_team_id created_at:created* updated_at:updated*`)},
		"channel_members": {name: "messaging.member", fields: fields(`channel_id:channel user_id:user`)},
		"message_reactions": {name: "messaging.reaction", fields: with(fields(`message_id:ts user_id:user`),
			"reaction_type", field{to: "name", values: map[string]any{"thumbsup": "+1", "thumbsdown": "-1", "poop": "hankey"}})},
		"users": {name: "messaging.user", fields: fields(`user_id:id username:name email:profile.email real_name:profile.real_name
			display_name:profile.display_name title:profile.title is_bot timezone:tz`)},
	},
	"linear": {
		"issues": {name: "tracker.issue", fields: with(fields(`id identifier* number* title description teamId stateId assigneeId creatorId priority parentId
			projectId cycleId dueDate estimate labelIds archivedAt trashed startedAt* completedAt* canceledAt* createdAt* updatedAt* sortOrder*
			prioritySortOrder* previousIdentifiers* subIssueSortOrder* startedTriageAt* triagedAt* autoArchivedAt* autoClosedAt*`),
			"priorityLabel", field{to: "priority", values: map[string]any{"No priority": 0, "Urgent": 1, "High": 2, "Medium": 3, "Low": 4}})},
		"comments":         {name: "tracker.comment", fields: fields(`id body issueId userId parentId projectId archivedAt createdAt* updatedAt* editedAt*`), ends: "archivedAt"},
		"issue_labels":     {name: "tracker.label", fields: fields(`id name color description teamId creatorId parentId isGroup archivedAt createdAt* updatedAt*`), ends: "archivedAt"},
		"workflow_states":  {name: "tracker.workflowState", fields: fields(`id name color description position teamId type archivedAt createdAt* updatedAt*`)},
		"teams":            {name: "tracker.team", fields: fields(`id name key description color icon private archivedAt createdAt* updatedAt*`)},
		"team_memberships": {name: "tracker.teamMembership", fields: fields(`userId teamId owner`)},
		"users":            {name: "tracker.user", fields: fields(`id name displayName email active admin guest title timezone archivedAt createdAt* updatedAt*`)},
		"projects": {name: "tracker.project", fields: fields(`id name description content color icon priority leadId startDate targetDate statusId archivedAt
			createdAt* updatedAt*`)},
		"cycles": {name: "tracker.cycle", fields: fields(`id name description number startsAt endsAt teamId archivedAt createdAt* updatedAt* completedAt*`)},
	},
}

func with(fields map[string]field, column string, f field) map[string]field {
	fields[column] = f
	return fields
}

// labelling is the table that joins issues and labels; here labels are a field of
// an issue.
const labelling = "issue_label_issue_association"
