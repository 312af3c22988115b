package mcptools

// Schemas of the results.

const pageOut = `"pageInfo":{"type":"object","required":["hasNextPage"],"properties":{
	"hasNextPage":{"type":"boolean"},"endCursor":{"type":"string","description":"Give it as cursor to go on."}}}`

const namedOut = `{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}}}`

const priorityOut = `{"type":"object","properties":{"value":{"type":"integer"},"name":{"type":"string"}}}`

const commentOut = `{"type":"object","required":["id","body","createdAt"],"properties":{
	"id":{"type":"string"},"body":{"type":"string"},"createdAt":{"type":"string"},"updatedAt":{"type":"string"},
	"user":{"type":["object","null"],"properties":{"id":{"type":"string"},"name":{"type":"string"}}},
	"issueId":{"type":"string"},"parentId":{"type":"string"},"url":{"type":"string"}}}`

const issueOut = `{"type":"object","required":["id","identifier","title","status","team"],"properties":{
	"id":{"type":"string"},"identifier":{"type":"string","description":"Names the issue for people, such as ENG-12."},
	"title":{"type":"string"},"description":{"type":["string","null"]},"priority":` + priorityOut + `,"estimate":{"type":"number"},
	"url":{"type":"string"},"gitBranchName":{"type":"string"},"createdAt":{"type":"string"},"updatedAt":{"type":"string"},
	"archivedAt":{"type":"string"},"dueDate":{"type":"string"},
	"status":{"type":"string","description":"Name of its state."},"statusType":{"type":"string"},
	"labels":{"type":"array","items":{"type":"string"}},
	"assignee":{"type":"string"},"assigneeId":{"type":"string"},"createdBy":{"type":"string"},"createdById":{"type":"string"},
	"project":{"type":"string"},"projectId":{"type":"string"},"cycle":{"type":"string"},"cycleNumber":{"type":"integer"},"cycleId":{"type":"string"},
	"parent":{"type":"string"},"parentId":{"type":"string"},"team":{"type":"string"},"teamKey":{"type":"string"},"teamId":{"type":"string"},
	"children":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"identifier":{"type":"string"},
		"title":{"type":"string"},"status":{"type":"string"}}}},
	"comments":{"type":"array","description":"Newest first.","items":` + commentOut + `},
	"moreComments":{"type":"boolean","description":"Whether there are older ones."}}}`

const issuesOut = `{"type":"object","required":["issues","pageInfo"],"properties":{"issues":{"type":"array","items":` + issueOut + `},` + pageOut + `}}`

const teamsOut = `{"type":"object","required":["teams","pageInfo"],"properties":{
	"teams":{"type":"array","items":{"type":"object","required":["id","key","name"],"properties":{
		"id":{"type":"string"},"key":{"type":"string"},"name":{"type":"string"},"description":{"type":"string"},
		"createdAt":{"type":"string"},"updatedAt":{"type":"string"},"archivedAt":{"type":"string"},
		"states":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"type":{"type":"string"}}}}}}},` + pageOut + `}}`

const projectsOut = `{"type":"object","required":["content","pageInfo"],"properties":{
	"content":{"type":"array","items":{"type":"object","required":["id","name"],"properties":{
		"id":{"type":"string"},"name":{"type":"string"},"description":{"type":"string"},"url":{"type":"string"},
		"state":{"type":"string"},"status":` + namedOut + `,"priority":` + priorityOut + `,"progress":{"type":"number"},
		"lead":` + namedOut + `,"teams":{"type":"array","items":{"type":"string"}},
		"startDate":{"type":"string"},"targetDate":{"type":"string"},"createdAt":{"type":"string"},"updatedAt":{"type":"string"},
		"archivedAt":{"type":"string"}}}},` + pageOut + `}}`
