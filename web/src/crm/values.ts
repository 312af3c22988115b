import { formatNumber, formatStamp } from '../app/locale';
import { ownerName } from './api';
import type { Definition, Owner } from './types';

/** Formats a value for people, by its definition. */
export function shown(value: string | null | undefined, of: Definition | undefined, owners: Owner[] = []): string {
  if (value === null || value === undefined || value === '') {
    return '';
  }
  if (of?.name === 'hubspot_owner_id') {
    const owner = owners.find((o) => o.id === value);
    return owner ? ownerName(owner) : value;
  }
  switch (of?.type) {
    case 'enumeration':
      return value
        .split(';')
        .map((v) => of.options.find((o) => o.value === v)?.label ?? v)
        .join(', ');
    case 'bool':
      return value === 'true' ? 'Yes' : value === 'false' ? 'No' : value;
    case 'number':
      return /^-?\d{1,15}(\.\d{1,6})?$/.test(value) && !/id$/.test(of.name) ? formatNumber(Number(value)) : value;
    case 'date':
    case 'datetime': {
      const at = new Date(/^-?\d+$/.test(value) ? Number(value) : value);
      if (Number.isNaN(at.getTime())) {
        return value;
      }
      return of.type === 'date' ? at.toISOString().slice(0, 10) : formatStamp(at);
    }
    default:
      return value;
  }
}

/** Reports whether a property is writable. */
export const isWritable = (d: Definition): boolean => !d.calculated && !d.modificationMetadata?.readOnlyValue;

/** Returns a curl command that reads a URL, without the token. */
export const curlOf = (url: string): string =>
  `curl -s '${url.replaceAll("'", "'\\''")}' -H "Authorization: Bearer $TOKEN"`;
