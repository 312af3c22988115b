/** A fault rule as the admin plane shows it. */
export interface Rule {
  id: string;
  on: 'request' | 'delivery';
  match?: Record<string, unknown>;
  when?: Record<string, unknown>;
  do: Record<string, unknown>;
  enabled?: boolean; // true when left out
  matched: number;
  fired: number;
}

/** Reports whether a rule is enabled. */
export const isOn = (r: Rule): boolean => r.enabled !== false;

/** Formats a part of a rule: service crm, nth 1. */
export function wordsOf(part: Record<string, unknown> | undefined): string {
  return Object.entries(part ?? {})
    .map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(', ') : typeof value === 'object' ? JSON.stringify(value) : value;
      return `${name.replaceAll('_', ' ')} ${text}`;
    })
    .join('; ');
}

/** Example rules, by effect. */
export const examples: Record<string, unknown> = {
  'An answer is lost after the work is done': {
    on: 'request',
    match: { operation: 'crm.POST /crm/v3/objects/{objectType}', by: 'agent' },
    when: { nth: [1] },
    do: { drop: 'after' },
  },
  'Every third request is limited': {
    on: 'request',
    match: { service: 'messaging', by: 'agent' },
    when: { every: 3 },
    do: { error: { status: 429, retry_after: 2 } },
  },
  'Requests are slow': { on: 'request', match: { by: 'agent' }, do: { delay: { min_ms: 200, max_ms: 2000 } } },
  'A webhook comes twice': { on: 'delivery', match: { service: 'messaging' }, do: { duplicate: 1 } },
  'A webhook is lost': { on: 'delivery', when: { nth: [1] }, do: { lose: true } },
};
