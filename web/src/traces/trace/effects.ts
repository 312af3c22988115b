// The shapes of GET /admin/v1/environments/{env}/trace/{session}.

export interface EffectChange {
  op: string;
  service: string;
  entity: string;
  key: string;
}

export interface EffectEvent {
  type: string;
  deliveries?: { id: string; status: string; attempts: number }[];
}

export interface EffectRequest {
  seq: number;
  operations?: string[];
  status?: number;
  join?: string;
  fault?: unknown;
  changes?: EffectChange[];
  events?: EffectEvent[];
}

export interface EffectNode {
  event: { event_id: string };
  tools?: EffectNode[];
  requests?: EffectRequest[];
}

export interface Effects {
  turns: EffectNode[];
  unjoined?: EffectRequest[];
}

/** Returns the requests that each event caused. It does not recurse, because traces may be deep. */
export function requestsByEvent(of: Effects): Map<string, EffectRequest[]> {
  const out = new Map<string, EffectRequest[]>();
  const waiting = [...of.turns];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.requests && node.requests.length > 0) {
      out.set(node.event.event_id, node.requests);
    }
    waiting.push(...(node.tools ?? []));
  }
  return out;
}

export const changesOf = (list: EffectRequest[]): number => list.reduce((n, r) => n + (r.changes?.length ?? 0), 0);
