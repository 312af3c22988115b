import { ask, fromWire, issueFields, page, type WireIssue, wholeFields } from './api';
import type { Issue, Page, User } from './types';

export interface Comment {
  id: string;
  body: string;
  createdAt: string;
  editedAt: string | null;
  user: User | null;
  parent: { id: string } | null;
}

/** The data of an issue's page. */
export interface WholeIssue extends Issue {
  description: string | null;
  url: string;
  team: { id: string; key: string; name: string };
  creator: User | null;
  parent: Issue | null;
  children: Issue[];
  moreChildren: boolean;
  comments: Comment[]; // the oldest first
  before: string | null; // cursor of older comments
  archivedAt: string | null;
}

const commentFields = 'id body createdAt editedAt user { id name displayName } parent { id }';
const commentPage = 50;

interface Wire extends Omit<WireIssue, never> {
  description: string | null;
  url: string;
  archivedAt: string | null;
  team: WholeIssue['team'];
  creator: User | null;
  parent: WireIssue | null;
  children: Page<WireIssue>;
  comments: Page<Comment>;
}

/** Reads an issue by its identifier, with its newest comments. */
export async function readIssue(env: string, identifier: string): Promise<WholeIssue> {
  const { issue: i } = await ask<{ issue: Wire }>(
    env,
    `query ($id: String!) { issue(id: $id) { ${wholeFields} description url archivedAt team { id key name }
      creator { id name displayName } parent { ${issueFields} }
      children(first: 50) { nodes { ${issueFields} } ${page} }
      comments(first: ${commentPage}) { nodes { ${commentFields} } ${page} } } }`,
    { id: identifier },
  );
  return {
    ...fromWire(i),
    description: i.description,
    url: i.url,
    archivedAt: i.archivedAt,
    team: i.team,
    creator: i.creator,
    parent: i.parent && fromWire(i.parent),
    children: i.children.nodes.map(fromWire),
    moreChildren: i.children.pageInfo.hasNextPage,
    comments: i.comments.nodes.toReversed(),
    before: i.comments.pageInfo.hasNextPage ? i.comments.pageInfo.endCursor : null,
  };
}

/** Reads the comments before the loaded ones. */
export async function readComments(
  env: string,
  id: string,
  after: string,
): Promise<Pick<WholeIssue, 'comments' | 'before'>> {
  const { issue } = await ask<{ issue: { comments: Page<Comment> } }>(
    env,
    `query ($id: String!, $after: String) { issue(id: $id) {
      comments(first: ${commentPage}, after: $after) { nodes { ${commentFields} } ${page} } } }`,
    { id, after },
  );
  const { nodes, pageInfo } = issue.comments;
  return { comments: nodes.toReversed(), before: pageInfo.hasNextPage ? pageInfo.endCursor : null };
}

/** Adds a comment and returns it. */
export async function addComment(env: string, issueId: string, body: string): Promise<Comment> {
  const r = await ask<{ commentCreate: { comment: Comment } }>(
    env,
    `mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { comment { ${commentFields} } } }`,
    { input: { issueId, body } },
  );
  return r.commentCreate.comment;
}

/** Returns an issue with an added or changed comment, in chronological order. */
export function withComment(i: WholeIssue, c: Comment): WholeIssue {
  const others = i.comments.filter((x) => x.id !== c.id);
  return { ...i, comments: [...others, c].sort((a, b) => a.createdAt.localeCompare(b.createdAt)) };
}
