import { formatFull, formatStamp } from '../app/locale';

/** A time of the environment's clock, in the zone of the browser. Its tooltip names the zone. */
export function Stamp({ at, seconds }: { at: string | number | Date; seconds?: boolean }) {
  const time = new Date(at);
  return (
    <time dateTime={time.toISOString()} title={formatFull(time)}>
      {formatStamp(time)}
      {seconds && `:${String(time.getSeconds()).padStart(2, '0')}`}
    </time>
  );
}
