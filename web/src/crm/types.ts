import { titleFrom, titleProperties } from '../app/recordTitles';

/** A record as the API writes it. */
export interface CrmRecord {
  id: string;
  properties: Record<string, string | null>;
  propertiesWithHistory?: Record<string, Version[]>;
  createdAt: string;
  updatedAt: string;
  archived: boolean;
}

/** A current or former value of a property. */
export interface Version {
  value: string | null;
  timestamp: string;
  sourceType: string;
  sourceId?: string;
}

export interface Definition {
  name: string;
  label: string;
  type: string;
  fieldType: string;
  groupName: string;
  description: string;
  options: { label: string; value: string; hidden: boolean }[];
  calculated: boolean;
  hasUniqueValue: boolean;
  hidden: boolean;
  modificationMetadata?: { readOnlyValue: boolean };
}

export interface Owner {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  userId: number;
  archived: boolean;
}

export interface Stage {
  id: string;
  label: string;
  displayOrder: number;
  metadata: Record<string, string>;
}

export interface Pipeline {
  id: string;
  label: string;
  displayOrder: number;
  stages: Stage[];
}

export interface Results<T> {
  results: T[];
  total?: number;
  paging?: { next?: { after: string } };
}

/** How the screens show a record type. */
export interface RecordType {
  name: string; // in paths
  title: string; // of many
  one: string;
  titles: string[]; // properties whose values name a record
  columns: string[]; // shown unless others are chosen
  fields: string[]; // asked for when one is made
  stage?: { pipeline: string; stage: string }; // properties of types that go through pipelines
}

export const types: RecordType[] = [
  {
    name: 'contacts',
    title: 'Contacts',
    one: 'contact',
    titles: titleProperties.contacts ?? [],
    columns: ['email', 'phone', 'company', 'lifecyclestage', 'hubspot_owner_id', 'createdate'],
    fields: ['email', 'firstname', 'lastname', 'phone', 'company', 'lifecyclestage', 'hubspot_owner_id'],
  },
  {
    name: 'companies',
    title: 'Companies',
    one: 'company',
    titles: titleProperties.companies ?? [],
    columns: ['domain', 'industry', 'city', 'country', 'numberofemployees', 'hubspot_owner_id', 'createdate'],
    fields: ['name', 'domain', 'industry', 'city', 'country', 'hubspot_owner_id'],
  },
  {
    name: 'deals',
    title: 'Deals',
    one: 'deal',
    titles: titleProperties.deals ?? [],
    columns: ['amount', 'dealstage', 'closedate', 'hubspot_owner_id', 'createdate'],
    fields: ['dealname', 'amount', 'pipeline', 'dealstage', 'closedate', 'hubspot_owner_id'],
    stage: { pipeline: 'pipeline', stage: 'dealstage' },
  },
  {
    name: 'tickets',
    title: 'Tickets',
    one: 'ticket',
    titles: titleProperties.tickets ?? [],
    columns: ['hs_pipeline_stage', 'hs_ticket_priority', 'hs_ticket_category', 'hubspot_owner_id', 'createdate'],
    fields: ['subject', 'content', 'hs_pipeline', 'hs_pipeline_stage', 'hs_ticket_priority', 'hubspot_owner_id'],
    stage: { pipeline: 'hs_pipeline', stage: 'hs_pipeline_stage' },
  },
];

/** Returns the description of a type; for custom types, the common one. */
export const typeOf = (name: string): RecordType =>
  types.find((t) => t.name === name) ?? {
    name,
    title: name,
    one: 'record',
    titles: ['name'],
    columns: ['hs_createdate'],
    fields: ['name'],
  };

/** Returns the name of a record, or its id if it has none. */
export const titleOf = (type: RecordType, r: CrmRecord): string =>
  titleFrom(type.titles, r.properties) || `${type.one} ${r.id}`;
