import type { Environment } from '../../app/admin';

export interface Node {
  environment: Environment;
  level: number;
  open: boolean | undefined; // undefined without children
}

/**
 * Returns environments in the order of a tree: children below their parent, in the order of the list. An environment
 * whose parent is not in the list is at the top.
 */
export function flatten(list: Environment[], closed: ReadonlySet<string>): Node[] {
  const known = new Set(list.map((e) => e.id));
  const children = new Map<string, Environment[]>();
  const top: Environment[] = [];
  for (const e of list) {
    if (e.parent && e.parent !== e.id && known.has(e.parent)) {
      const below = children.get(e.parent);
      if (below) {
        below.push(e);
      } else {
        children.set(e.parent, [e]);
      }
    } else {
      top.push(e);
    }
  }
  const out: Node[] = [];
  const seen = new Set<string>();
  const stack = top.reverse().map((e) => ({ e, level: 1 }));
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { e, level } = next;
    if (seen.has(e.id)) {
      continue;
    }
    seen.add(e.id);
    const below = children.get(e.id);
    const open = below && !closed.has(e.id);
    out.push({ environment: e, level, open });
    if (open) {
      for (const child of below.toReversed()) {
        stack.push({ e: child, level: level + 1 });
      }
    }
  }
  return out;
}
