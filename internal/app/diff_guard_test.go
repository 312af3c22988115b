package app

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"understudy/internal/platform/cause"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// noThings are the tables of class world that hold nothing of their own, and why.
var noThings = map[string]string{
	"auth_session": "who is signed in, by account",
	"env_meta":     "the environment's own: lineage, clock, place of its id source",

	"msg_search": "the full-text index, made of the messages", "msg_search_state": "likewise", "msg_search_change": "likewise",
	"msg_search_config": "likewise", "msg_search_data": "likewise", "msg_search_docsize": "likewise", "msg_search_idx": "likewise",

	"crm_sequence": "counters", "crm_tally": "counts of records", "crm_value": "the values of records again, to be searched",
	"crm_revision": "the history of what updates tell", "crm_audit": "the trail of what is told of pipelines",
	"crm_fts": "the full-text index, made of the records", "crm_fts_pending": "likewise", "crm_fts_data": "likewise", "crm_fts_idx": "likewise",
	"crm_fts_vocab": "likewise", "crm_fts_docsize": "likewise", "crm_fts_config": "likewise", "crm_fts_word": "likewise",
	"crm_posting": "sets of records, made of the records", "crm_rank": "values of records again, to be searched",

	"tracker_search": "the full-text index, made of the issues", "tracker_search_document": "likewise", "tracker_search_change": "likewise",
	"tracker_search_word": "likewise", "tracker_search_config": "likewise", "tracker_search_data": "likewise", "tracker_search_docsize": "likewise", "tracker_search_idx": "likewise",

	"tracker_sync": "a counter", "tracker_team_counter": "counters", "tracker_team_key": "keys that teams have or had, so that none is given twice",
	"tracker_issue_alias": "previousIdentifiers of issues again", "tracker_issue_label": "labelIds of issues again",
	"tracker_issue_subscriber": "subscriberIds of issues again", "tracker_project_team": "teamIds of projects again",
	"tracker_project_member": "memberIds of projects again", "tracker_cycle_tally": "counts of the issues of cycles, minute by minute", "tracker_cycle_uncompleted": "uncompletedIssuesUponCloseIds of cycles again",

	"ingest_trait": "traits of users again, to be searched", "ingest_rollup": "sums of events", "ingest_progress": "how far the sums have come",
	"ingest_trace": "the sessions of traces, which their events say", "ingest_covered": "spans that are still to come", "ingest_change": "for the sums",
	"event_run": "the words of events again, to be searched", "event_run_term": "likewise",
	"event_detail": "a part of the blocks", "event_session": "numbers of sessions", "event_session_block": "where events of sessions are",
	"event_counter": "a counter", "event_key": "hashes of event ids", "event_key_run": "likewise", "event_key_page": "likewise", "event_erasure": "what is to be removed from the disk",
}

// TestADiffKnowsEveryColumn fails for a table or column that nobody decided about.
func TestADiffKnowsEveryColumn(t *testing.T) {
	services := (&App{}).services()
	worlds := map[string][]store.Schema{"": worldSchemas()}
	for _, s := range services {
		if k, ok := s.(environment.WorldKeeper); ok {
			maps.Copy(worlds, k.ExtraWorlds())
		}
	}
	for world, schemas := range worlds {
		storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
			found := columns(t, w)
			for _, s := range schemas {
				for table, class := range s.Tables {
					if class != store.WorldClass || found[table] == nil {
						continue
					}
					declared := 0
					for _, e := range environment.Entities(services) {
						if e.Table != table || e.World != world {
							continue
						}
						declared++
						for _, c := range found[table] {
							if _, ok := e.Columns[c]; !ok && c != "document" {
								t.Errorf("%s.%s: say in the service's Entities how a diff shows it, or why not", table, c)
							}
						}
						for c := range e.Columns {
							if !slices.Contains(found[table], c) {
								t.Errorf("%s.%s is declared and not there", table, c)
							}
						}
						for _, c := range e.Key {
							if _, ok := e.Columns[c]; !ok {
								t.Errorf("%s.%s is a key and not declared", table, c)
							}
						}
					}
					if out := noThings[table] != ""; declared > 1 || declared == 1 == out {
						t.Errorf("%s is declared %d times, and left out: %v", table, declared, out)
					}
				}
			}
		})
	}
}

// TestEveryTableIsJournalledOrSaysWhyNot fails for a table of class world whose
// writers nobody notes and that noThings does not name, and for one whose rows
// SQLite keeps in another way than its declaration says.
func TestEveryTableIsJournalledOrSaysWhyNot(t *testing.T) {
	services := (&App{}).services()
	worlds := map[string][]store.Schema{"": worldSchemas()}
	for _, s := range services {
		if k, ok := s.(environment.WorldKeeper); ok {
			maps.Copy(worlds, k.ExtraWorlds())
		}
	}
	tables := cause.NewTables(environment.Entities(services))
	for world, schemas := range worlds {
		w := storetest.SQLite(t, schemas)
		witness := cause.New(tables).World(world)
		for _, s := range schemas {
			for table, class := range s.Tables {
				noted := witness.Table(table)
				unpacked := slices.ContainsFunc(environment.Entities(services), func(e diff.Entity) bool { return e.Table == table && e.Unpack != nil })
				if class == store.WorldClass && noted.Number == 0 && noThings[table] == "" && !unpacked {
					t.Errorf("the writers of %s are not noted", table)
				}
				if noted.Number == 0 {
					continue
				}
				var withoutRowID bool
				var first string
				err := w.Read(t.Context(), func(tx *store.Tx) error {
					if _, err := tx.Get(`SELECT wr FROM pragma_table_list WHERE name = ?`, []any{table}, &withoutRowID); err != nil {
						return err
					}
					_, err := tx.Get(`SELECT group_concat(name, ' ') FROM (SELECT name FROM pragma_table_info(?) ORDER BY cid)`, []any{table}, &first)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				if withoutRowID != (noted.Keys > 0) {
					t.Errorf("%s is WITHOUT ROWID: %v, which Entity.NoRowID does not say", table, withoutRowID)
				}
				for _, e := range environment.Entities(services) {
					if e.Table == table && e.NoRowID && !strings.HasPrefix(first, strings.Join(e.Key, " ")+" ") {
						t.Errorf("the first columns of %s are %q, not its key", table, first)
					}
				}
			}
		}
	}
}
