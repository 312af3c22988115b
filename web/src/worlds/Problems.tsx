import type { Problem } from './document';

const shown = 100;

/** The most problems that the refusal of a document lists. */
const listed = 20;

/** The problems of a document, each with a link to its line. */
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
