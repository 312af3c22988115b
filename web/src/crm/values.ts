import { formatNumber, formatStamp } from '../app/locale';
import { ownerName } from './api';
import type { Definition, Owner } from './types';

/** Returns a value as people read it; what it means is in its definition. */
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

/** Reports whether people may give a property a value. */
export const isWritable = (d: Definition): boolean => !d.calculated && !d.modificationMetadata?.readOnlyValue;

/** Returns the command that reads something, with the token left out. */
export const curlOf = (url: string): string =>
  `curl -s '${url.replaceAll("'", "'\\''")}' -H "Authorization: Bearer $TOKEN"`;
