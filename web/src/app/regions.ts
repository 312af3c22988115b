/** Reports whether the focused element accepts text, so that keys are no shortcuts. */
export function inText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Moves the focus to the next region of the frame. */
export function nextRegion(frame: HTMLElement | null, step: number): void {
  const regions = [...(frame?.querySelectorAll<HTMLElement>('[data-region]') ?? [])].filter(
    (r) => r.offsetParent !== null || getComputedStyle(r).position === 'fixed',
  );
  const at = regions.findLastIndex((r) => r.contains(document.activeElement));
  const next = regions[(at + step + regions.length) % regions.length];
  const target = next?.matches('main')
    ? next
    : next?.querySelector<HTMLElement>('textarea, [tabindex="0"], a[href], button, input');
  target?.focus();
}
