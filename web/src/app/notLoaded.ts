/** Thrown when the module or the style sheet of a screen could not be loaded. */
export class NotLoaded extends Error {
  constructor() {
    super('A part of the page could not be loaded.');
  }
}

/**
 * Loads a module for the router. On the browser's own error the router would reload the page at once, and while the
 * server is down the browser would replace the page by its own.
 */
export function orNotLoaded<M>(load: () => Promise<M>): Promise<M> {
  return load().catch(() => {
    throw new NotLoaded();
  });
}

const place = 'us.reloaded';
const apart = 10_000; // milliseconds between two reloads that nobody asked for

/** Reloads the page, which keeps its address and drafts; not if that has just been done and did not help. */
export function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(place) ?? 0);
  if (Date.now() - last < apart) {
    return false;
  }
  sessionStorage.setItem(place, String(Date.now()));
  location.reload();
  return true;
}
