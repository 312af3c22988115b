import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Search } from '../app/address';
import { adminKey } from '../app/admin';
import { formatNumber, zoneName } from '../app/locale';
import { Combo, type Option } from '../ui/Combo';
import { Radios } from '../ui/Radios';
import { ask } from './api';
import { chosen, momentOf, periodOf, periods, queryIn } from './filters';
import { type Filtered, useFilters } from './useFilters';

const boxes = [
  ['tool', 'Tool'],
  ['user_id', 'User'],
  ['customer_id', 'Customer'],
  ['model', 'Model'],
] as const;

const periodOptions = [
  ...Object.entries(periods).map(([value, { label }]) => [value, label] as const),
  ['custom', 'Custom'] as const,
];

const results: Option[] = [
  { value: '', label: 'All' },
  { value: 'true', label: 'Succeeded' },
  { value: 'false', label: 'Failed' },
];

const findResult = (text: string): Option[] =>
  results.filter((r) => r.label?.toLowerCase().startsWith(text.toLowerCase()));

interface Facets {
  facets: { name: string; values: { value: string; count: number }[] }[];
}

/** Returns a function that searches the values of a facet in the period. */
function useFacet(f: Filtered, name: string): (text: string) => Promise<Option[]> {
  const period = queryIn({ project_id: f.search.project_id }, f.range).toString();
  const { env } = f;
  return useCallback(
    async (text: string) => {
      const q = new URLSearchParams(period);
      q.set('name', name);
      q.set('limit', '50');
      if (text) {
        q.set('q', text);
      }
      const { facets } = await ask<Facets>(env, `facets?${q}`);
      const values = facets.find((x) => x.name === name)?.values ?? [];
      return values.map((v) => ({ value: v.value, detail: formatNumber(v.count) }));
    },
    [env, period, name],
  );
}

/** The filters of the area. They are stored in the URL. */
export function FilterBar() {
  const f = useFilters();
  const { search, patch } = f;
  const period = periodOf(search);
  const list = chosen(search);
  const choosePeriod = (value: string): void => {
    if (value === 'custom') {
      const from = f.range.from ?? f.now - 86_400_000;
      patch({ period: 'custom', from: iso(from), to: iso(f.range.to ?? f.now) });
      return;
    }
    patch({ period: value === 'all' ? undefined : value, from: undefined, to: undefined });
  };
  return (
    <section aria-label="Filters" className="filter-bar">
      <div className="filters">
        <Radios label="Period" options={periodOptions} value={period} change={choosePeriod} />
        {period === 'custom' && (
          <>
            <Moment label="From" value={search.from} change={(from) => patch({ period: 'custom', from })} />
            <Moment label="To" value={search.to} change={(to) => patch({ period: 'custom', to })} />
          </>
        )}
      </div>
      <div className="filters">
        {boxes.map(([name, label]) => (
          <FacetBox key={name} f={f} name={name} label={label} />
        ))}
        <Combo
          label="Result"
          value={search.success ?? ''}
          shown={results.find((r) => r.value === (search.success ?? ''))?.label}
          find={findResult}
          choose={(success) => patch({ success: success || undefined })}
        />
        <Projects f={f} />
        <TraitFilter f={f} />
      </div>
      {list.length > 0 && (
        <div className="chips tight">
          {list.map(([name, value]) => (
            <Button
              key={name}
              size="compact-sm"
              variant="light"
              className="chip"
              aria-label={`Remove filter ${name}: ${value}`}
              onClick={() => patch({ [name]: undefined })}
            >
              <span>
                {name}: {value}
              </span>
              <span aria-hidden> ✕</span>
            </Button>
          ))}
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => patch(Object.fromEntries(list.map(([name]) => [name, undefined])) as Search)}
          >
            Clear filters
          </Button>
        </div>
      )}
    </section>
  );
}

const iso = (at: number): string => new Date(at).toISOString();

/** Formats a moment for a date-time input, in the browser's time zone. */
function boxed(text: string | undefined): string {
  const at = momentOf(text);
  if (at === undefined) {
    return '';
  }
  const d = new Date(at);
  return new Date(at - d.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function Moment({ label, value, change }: { label: string; value?: string; change: (value?: string) => void }) {
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      label={label}
      title={`In the zone ${zoneName()}`}
      value={boxed(value)}
      onChange={(e) => {
        const at = Date.parse(e.currentTarget.value);
        change(Number.isNaN(at) ? undefined : iso(at));
      }}
    />
  );
}

function FacetBox({ f, name, label }: { f: Filtered; name: string; label: string }) {
  const find = useFacet(f, name);
  return (
    <Combo
      label={label}
      placeholder="All"
      value={f.search[name] ?? ''}
      find={find}
      free
      choose={(value) => f.patch({ [name]: value || undefined })}
    />
  );
}

/** Adds a filter by a trait of the user. */
function TraitFilter({ f }: { f: Filtered }) {
  const [open, setOpen] = useState(false);
  const [trait, setTrait] = useState('');
  const { env } = f;
  const names = useCallback(
    async (text: string): Promise<Option[]> => {
      const { facets } = await ask<Facets>(env, 'facets?limit=1');
      return facets
        .filter((x) => x.name.startsWith('trait.') && x.name.slice(6).toLowerCase().includes(text.toLowerCase()))
        .map((x) => ({ value: x.name.slice(6) }));
    },
    [env],
  );
  const values = useFacet(f, `trait.${trait}`);
  if (!open) {
    return (
      <Button size="compact-sm" variant="default" className="level" onClick={() => setOpen(true)}>
        Add trait filter
      </Button>
    );
  }
  const close = (): void => {
    setOpen(false);
    setTrait('');
  };
  return (
    <>
      <Combo label="Trait" value={trait} find={names} free choose={setTrait} />
      <Combo
        label="Value"
        value=""
        find={values}
        free
        choose={(value) => {
          if (trait && value) {
            f.patch({ [`trait.${trait}`]: value });
            close();
          }
        }}
      />
      <Button size="compact-sm" variant="subtle" className="level" onClick={close}>
        Cancel
      </Button>
    </>
  );
}

interface Project {
  id: string;
  name: string;
}

/** Switches between projects, where the admin key sees several. */
function Projects({ f }: { f: Filtered }) {
  const found = useQuery({
    queryKey: ['traces', f.env, 'projects'],
    queryFn: () => ask<{ projects: Project[] }>(f.env, 'projects?limit=1000'),
    enabled: adminKey() !== undefined,
  });
  const list = found.data?.projects;
  const find = useCallback(
    (text: string): Option[] =>
      (list ?? [])
        .filter((p) => p.name.toLowerCase().includes(text.toLowerCase()))
        .map((p) => ({ value: p.id, label: p.name })),
    [list],
  );
  if (!list || list.length < 2) {
    return null;
  }
  const value = f.search.project_id ?? list[0]?.id ?? '';
  return (
    <Combo
      label="Project"
      value={value}
      shown={list.find((p) => p.id === value)?.name}
      find={find}
      choose={(id) => f.patch({ project_id: id === list[0]?.id ? undefined : id || undefined })}
    />
  );
}
