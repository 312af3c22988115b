import type { Problem } from './document';

const shown = 100;

/** A refusal of a document lists so many problems at most. */
const listed = 20;

/** What is wrong with a document; each problem leads to its line. */
export function Problems({ list, go }: { list: Problem[]; go: (line: number) => void }) {
  if (list.length === 0) {
    return null;
  }
  return (
    <div role="alert" className="problem">
      <p>
        {list.length === 1
          ? '1 problem'
          : list.length === listed
            ? `The first ${listed} problems; there may be more.`
            : `${list.length} problems`}
      </p>
      <ul aria-label="Problems" className="plain">
        {list.slice(0, shown).map((p) => (
          <li key={`${p.line} ${p.field} ${p.message}`}>
            <button type="button" className="link" onClick={() => go(p.line)}>
              Line {p.line}
              {p.field && `, ${p.field}`}
            </button>
            : {p.message}
          </li>
        ))}
      </ul>
      {list.length > shown && <p>The first {shown} are shown.</p>}
    </div>
  );
}
