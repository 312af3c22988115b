import { ApiError } from '../api/http';

/** The beginning of the message that the CRM writes before a JSON list of what is wrong with each property. */
const beginning = 'Property values were not valid: ';

interface Refused {
  name?: string;
  message?: string;
}

/** Returns what is wrong with properties, by their names, and a sentence of it all: the service's own sentences, without the JSON around them. */
export function refusalOf(error: Error): { text: string; fields: Record<string, string> } {
  const fields: Record<string, string> = {};
  if (!(error instanceof ApiError && error.message.startsWith(beginning))) {
    return { text: error.message, fields };
  }
  let list: Refused[];
  try {
    list = JSON.parse(error.message.slice(beginning.length));
  } catch {
    return { text: error.message, fields };
  }
  for (const { name, message } of list) {
    if (name && message) {
      fields[name] = message;
    }
  }
  const text = list.map(({ name, message = '' }) => (name ? `${name}: ${message}` : message)).join(' ');
  return { text: text || error.message, fields };
}
