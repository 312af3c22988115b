import type { Issue, Label } from './types';

/** An event for connected clients. It equals the payload of webhooks. */
export interface LiveEvent {
  type: string;
  action: 'create' | 'update' | 'remove';
  data: Record<string, unknown> & { id: string };
}

interface Embedded {
  id: string;
  name: string;
}

/** Returns the issue that an event is about, as lists show it. */
export function issueOf(data: LiveEvent['data']): Issue {
  const d = data as unknown as Omit<Issue, 'labels' | 'assignee'> & {
    labels?: Label[];
    assignee?: (Embedded & { url: string }) | null;
  };
  // a profile's address ends in the name that the API calls displayName
  return {
    id: d.id,
    identifier: d.identifier,
    title: d.title,
    priority: d.priority,
    state: d.state,
    assignee: d.assignee
      ? { id: d.assignee.id, name: d.assignee.name, displayName: d.assignee.url.split('/').at(-1) ?? '' }
      : null,
    labels: d.labels ?? [],
    project: d.project ?? null,
    cycle: d.cycle ?? null,
    estimate: d.estimate ?? null,
    dueDate: d.dueDate ?? null,
    createdAt: d.createdAt,
    updatedAt: d.updatedAt,
  };
}
