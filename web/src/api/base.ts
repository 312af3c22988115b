export type Service = 'messaging' | 'crm' | 'tracker' | 'ingest';

/** Returns the path of a service in an environment. */
export function basePath(env: string, service: Service): string {
  return env === 'default' ? `/${service}` : `/e/${encodeURIComponent(env)}/${service}`;
}

export const adminPath = '/admin/v1';
