/** The mark of Understudy: two offset sheets. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <rect x="1" y="1" width="10" height="10" rx="1" fill="var(--mark-back)" />
      <rect x="5" y="5" width="10" height="10" rx="1" fill="var(--mark-front)" />
    </svg>
  );
}
