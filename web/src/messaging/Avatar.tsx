/** Initials on a colour that is derived from the id. */
export function Avatar({ id, name, size = 32 }: { id: string; name: string; size?: number }) {
  let hash = 0;
  for (const c of id) {
    hash = (hash * 31 + (c.codePointAt(0) ?? 0)) % 360;
  }
  const initials = name
    .split(/\s+/)
    .slice(0, 2)
    .map((w) => [...w][0] ?? '')
    .join('')
    .toUpperCase();
  return (
    <span
      className="avatar"
      aria-hidden="true"
      style={{ width: size, height: size, background: `hsl(${hash} 45% 32%)` }}
    >
      {initials}
    </span>
  );
}
