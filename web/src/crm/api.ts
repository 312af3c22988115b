import { useQuery } from '@tanstack/react-query';
import type { Call } from '../api/http';
import { callService } from '../app/session';
import type { CrmRecord, Definition, Owner, Pipeline, Results } from './types';

/** Calls the CRM as the person of this tab. Paths are relative to /api. */
export const ask = <T>(env: string, path: string, options: Omit<Call, 'token'> = {}): Promise<T> =>
  callService<T>(env, 'crm', `/api${path}`, options);

export const objects = (type: string): string => `/crm/v3/objects/${encodeURIComponent(type)}`;

const minute = 60_000;

export const useDefinitions = (env: string, type: string) =>
  useQuery({
    queryKey: ['crm', env, 'definitions', type],
    queryFn: () =>
      ask<Results<Definition>>(env, `/crm/v3/properties/${encodeURIComponent(type)}`).then((r) => r.results),
    staleTime: minute,
  });

/** Reads the first page of the portal's owners. */
export const useOwners = (env: string) =>
  useQuery({
    queryKey: ['crm', env, 'owners'],
    queryFn: () => ask<Results<Owner>>(env, '/crm/v3/owners?limit=500').then((r) => r.results),
    staleTime: minute,
  });

export const usePipelines = (env: string, type: string) =>
  useQuery({
    queryKey: ['crm', env, 'pipelines', type],
    queryFn: () =>
      ask<Results<Pipeline>>(env, `/crm/v3/pipelines/${encodeURIComponent(type)}`).then((r) =>
        r.results.sort((a, b) => a.displayOrder - b.displayOrder),
      ),
    staleTime: minute,
  });

/** The body of a search request. */
export interface SearchBody {
  query?: string;
  filterGroups?: { filters: object[] }[];
  sorts?: { propertyName: string; direction: string }[];
  properties: string[];
  limit: number;
  after?: string;
}

export const search = (env: string, type: string, body: SearchBody): Promise<Results<CrmRecord>> =>
  ask(env, `${objects(type)}/search`, { body });

export const ownerName = (o: Owner): string => `${o.firstName} ${o.lastName}`.trim() || o.email;
