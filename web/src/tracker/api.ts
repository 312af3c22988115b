import { ApiError, type GraphQLProblem, graphqlRefusal } from '../api/http';
import { callService } from '../app/session';
import type { Cycle, Issue, Label, Named, Options, Page, State, Team, User } from './types';

/** Runs a GraphQL document as this tab's person. It throws ApiError or Unreachable. */
export async function ask<T>(env: string, query: string, variables?: object, signal?: AbortSignal): Promise<T> {
  const body = { query, variables };
  const reply = await callService<{ data?: T; errors?: GraphQLProblem[] }>(env, 'tracker', '/graphql', {
    body,
    signal,
  });
  if (reply.errors?.length) {
    throw graphqlRefusal(200, reply.errors);
  }
  return reply.data as T;
}

/** Reports whether an error says that what was asked for does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && /not (be )?f(ou|i)nd/i.test(error.message);

export const page = 'pageInfo { hasNextPage endCursor }';

/** Returns the fields of an issue. Labels dominate the cost of the query, because the page size counts, not the labels found. */
const fieldsOf = (labels: number): string => `id identifier title priority estimate dueDate createdAt updatedAt
  state { id name type color } assignee { id name displayName } labels(first: ${labels}) { nodes { id name color } }
  project { id name } cycle { id number name }`;

export const issueFields = fieldsOf(10);
export const wholeFields = fieldsOf(100);

/** An issue as the API writes it. */
export type WireIssue = Omit<Issue, 'labels'> & { labels: { nodes: Label[] } };

export const fromWire = (i: WireIssue): Issue => ({ ...i, labels: i.labels.nodes });

/** What the sidebar shows. */
export interface Overview {
  viewer: User;
  organization: { id: string; name: string };
  teams: Page<Team>;
}

export const readOverview = (env: string): Promise<Overview> =>
  ask(
    env,
    `query { viewer { id name displayName } organization { id name }
      teams(first: 250) { nodes { id key name color cyclesEnabled } ${page} } }`,
  );

/** Reads the options of a team: at most 250 of each kind. */
export async function readOptions(env: string, team: string): Promise<Options> {
  const r = await ask<{
    team: Team & { states: Page<State>; members: Page<User>; projects: Page<Named>; cycles: Page<Cycle> };
    issueLabels: Page<Label>;
  }>(
    env,
    `query ($team: String!, $labels: IssueLabelFilter) {
      team(id: $team) { id key name color cyclesEnabled
        states(first: 100) { nodes { id name type color position } }
        members(first: 250) { nodes { id name displayName } }
        projects(first: 250) { nodes { id name } }
        cycles(first: 100) { nodes { id number name } } }
      issueLabels(first: 250, filter: $labels) { nodes { id name color } } }`,
    { team, labels: { or: [{ team: { null: true } }, { team: { key: { eq: team } } }] } },
  );
  const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name);
  return {
    team: r.team,
    states: r.team.states.nodes.sort((a, b) => a.position - b.position),
    members: r.team.members.nodes.sort(byName),
    projects: r.team.projects.nodes.sort(byName),
    cycles: r.team.cycles.nodes.sort((a, b) => b.number - a.number),
    labels: r.issueLabels.nodes.sort(byName),
  };
}

/** Changes an issue and returns it as it is now. */
export async function updateIssue(env: string, id: string, input: object): Promise<Issue> {
  const r = await ask<{ issueUpdate: { issue: WireIssue } }>(
    env,
    `mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { issue { ${wholeFields} } } }`,
    { id, input },
  );
  return fromWire(r.issueUpdate.issue);
}

export async function createIssue(env: string, input: object): Promise<Issue> {
  const r = await ask<{ issueCreate: { issue: WireIssue } }>(
    env,
    `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { ${issueFields} } } }`,
    { input },
  );
  return fromWire(r.issueCreate.issue);
}
