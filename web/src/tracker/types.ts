export interface Named {
  id: string;
  name: string;
}

export interface State extends Named {
  type: string;
  color: string;
  position: number;
}

export interface Label extends Named {
  color: string;
}

export interface User {
  id: string;
  name: string;
  displayName: string;
}

export interface Cycle {
  id: string;
  number: number;
  name: string | null;
}

export interface Project extends Named {
  color: string;
}

export interface Team {
  id: string;
  key: string;
  name: string;
  color: string | null;
  cyclesEnabled: boolean;
}

/** An issue as lists and boards show it. */
export interface Issue {
  id: string;
  identifier: string;
  title: string;
  priority: number;
  state: { id: string; name: string; type: string; color: string };
  assignee: User | null;
  labels: Label[];
  project: Named | null;
  cycle: Cycle | null;
  estimate: number | null;
  dueDate: string | null;
  createdAt: string;
  updatedAt: string;
}

/** The options for the fields of a team's issues. */
export interface Options {
  team: Team;
  states: State[];
  labels: Label[];
  members: User[];
  projects: Named[];
  cycles: Cycle[];
}

export interface Page<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export const priorities = ['No priority', 'Urgent', 'High', 'Medium', 'Low'];

export const titleOfCycle = (c: Cycle): string => c.name || `Cycle ${c.number}`;
