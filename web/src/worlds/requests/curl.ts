import { basePath, type Service } from '../../api/base';
import type { Recorded } from '../api';

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The variable that contains a service's token, as in copied credentials. */
const variables: Record<string, string> = {
  messaging: 'SLACK_BOT_TOKEN',
  crm: 'HUBSPOT_ACCESS_TOKEN',
  tracker: 'LINEAR_API_KEY',
  ingest: 'AGNOST_ORG_ID',
};

/** Returns a recorded request as a curl command. Secrets are not recorded: the token is a variable. */
export function curlOf(env: string, r: Recorded, origin: string): string {
  const url = origin + basePath(env, r.service as Service) + r.path + (r.query ? `?${r.query}` : '');
  const lines = [`curl -X ${r.method} ${quote(url)}`];
  const token = variables[r.service];
  if (token) {
    lines.push(`-H "Authorization: Bearer $${token}"`);
  }
  if (r.request_body) {
    const json = /^\s*[[{]/.test(r.request_body);
    lines.push(`-H 'Content-Type: ${json ? 'application/json' : 'application/x-www-form-urlencoded'}'`);
    lines.push(`--data-raw ${quote(r.request_body)}`);
  }
  return lines.join(' \\\n  ');
}
