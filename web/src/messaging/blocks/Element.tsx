import '../../ui/select';
import '@mantine/core/styles/Radio.layer.css';
import { ActionIcon, Button, Checkbox, MultiSelect, Radio, Select, TextInput } from '@mantine/core';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { Confirm } from '../../ui/Dialog';
import { Menu } from '../../ui/Menu';
import { useMessaging, useShown } from '../context';
import { type Block, nameOf } from '../types';

export type Press = (block: Block, element: Block, values: Record<string, unknown>) => Promise<void>;

interface Props {
  block: Block;
  element: Block;
  label?: string;
  press: Press;
  busy: string;
}

const words = (text: Block | undefined): string => (typeof text?.text === 'string' ? text.text : '');

interface Option {
  value: string;
  label: string;
  option: Block;
}

function optionsOf(e: Block): Option[] {
  const groups = Array.isArray(e.option_groups) ? e.option_groups.flatMap((g: Block) => g.options ?? []) : [];
  const options = Array.isArray(e.options) ? e.options : groups;
  return options.map((o: Block) => ({ value: String(o.value ?? ''), label: words(o.text), option: o }));
}

const optionValue = (o: Block | undefined): string | null => (o ? String(o.value ?? '') : null);

/** Returns the initial selection of an element: an option, user, conversation or channel. */
function initialOf(e: Block): string | null {
  return optionValue(e.initial_option) ?? e.initial_user ?? e.initial_conversation ?? e.initial_channel ?? null;
}

function initialsOf(e: Block): string[] {
  const list = e.initial_options ?? e.initial_users ?? e.initial_conversations ?? e.initial_channels ?? [];
  return list.map((o: Block | string) => (typeof o === 'string' ? o : optionValue(o)));
}

/** Formats a unix time for a date-time input, in the time zone of the browser. */
function localTime(seconds: number): string {
  const d = new Date(seconds * 1000);
  return new Date(d.getTime() - d.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns a box for each option of an element. */
const boxes = (e: Block, Box: typeof Radio | typeof Checkbox) =>
  optionsOf(e).map((o) => (
    <Box key={o.value} value={o.value} label={o.label} description={words(o.option.description)} mt={4} size="xs" />
  ));

/** One interactive element, named by its own text, label or placeholder. */
export function Element({ block, element: e, label, press, busy }: Props) {
  const { store } = useMessaging();
  const people = useShown((s) => (e.type?.includes('users_select') ? s.people : undefined));
  const [confirming, setConfirming] = useState<Record<string, unknown>>();
  const name = label || words(e.text) || words(e.placeholder) || String(e.action_id ?? e.type);
  const act = (values: Record<string, unknown>): void => {
    if (e.confirm) {
      setConfirming(values);
    } else {
      void press(block, e, values);
    }
  };
  const waiting = busy !== '' && busy === e.action_id;

  const selectProps = {
    size: 'xs',
    searchable: true,
    'aria-label': name,
    placeholder: words(e.placeholder),
    label,
    comboboxProps: { withinPortal: true },
  } as const;

  const groupProps = { label: name, labelProps: label ? {} : { className: 'visually-hidden' } };

  const draw = () => {
    switch (e.type) {
      case 'button':
      case 'workflow_button':
        return (
          <Button
            size="compact-md"
            variant={e.style === 'primary' ? 'filled' : e.style === 'danger' ? 'filled' : 'default'}
            color={e.style === 'danger' ? 'red' : undefined}
            loading={waiting}
            onClick={() => {
              if (typeof e.url === 'string' && /^https?:/i.test(e.url)) {
                window.open(e.url, '_blank', 'noopener,noreferrer');
              }
              act({});
            }}
          >
            {name}
          </Button>
        );
      case 'static_select':
      case 'users_select':
      case 'conversations_select':
      case 'channels_select': {
        const { options, pick } = choices(e.type);
        return (
          <Select {...selectProps} data={options} defaultValue={initialOf(e)} onChange={(v) => v && act(pick(v))} />
        );
      }
      case 'multi_static_select':
      case 'multi_users_select':
      case 'multi_conversations_select':
      case 'multi_channels_select': {
        const { options } = choices(e.type.slice('multi_'.length));
        return (
          <MultiSelect {...selectProps} data={options} defaultValue={initialsOf(e)} onChange={(v) => act(many(e, v))} />
        );
      }
      case 'external_select':
      case 'multi_external_select':
        return (
          <Select
            {...selectProps}
            data={[]}
            disabled
            description="Its options come from the app, which is not asked here."
          />
        );
      case 'overflow':
        return (
          <Menu
            align="start"
            items={optionsOf(e).map((o) => ({
              key: o.value,
              title: o.label,
              act: () => void act({ selected_option: o.option }),
            }))}
          >
            <ActionIcon variant="default" size={28} aria-label={name === e.type ? 'More' : name}>
              <Ellipsis size={16} />
            </ActionIcon>
          </Menu>
        );
      case 'radio_buttons':
        return (
          <Radio.Group
            {...groupProps}
            defaultValue={initialOf(e)}
            onChange={(v) => act({ selected_option: optionsOf(e).find((o) => o.value === v)?.option })}
          >
            {boxes(e, Radio)}
          </Radio.Group>
        );
      case 'checkboxes':
        return (
          <Checkbox.Group
            {...groupProps}
            defaultValue={initialsOf(e)}
            onChange={(v) =>
              act({
                selected_options: optionsOf(e)
                  .filter((o) => v.includes(o.value))
                  .map((o) => o.option),
              })
            }
          >
            {boxes(e, Checkbox)}
          </Checkbox.Group>
        );
      case 'datepicker':
        return (
          <TextInput
            size="xs"
            type="date"
            aria-label={name}
            label={label}
            defaultValue={e.initial_date}
            onChange={(v) => v.currentTarget.value && act({ selected_date: v.currentTarget.value })}
          />
        );
      case 'timepicker':
        return (
          <TextInput
            size="xs"
            type="time"
            aria-label={name}
            label={label}
            defaultValue={e.initial_time}
            onChange={(v) => v.currentTarget.value && act({ selected_time: v.currentTarget.value })}
          />
        );
      case 'datetimepicker':
        return (
          <TextInput
            size="xs"
            type="datetime-local"
            aria-label={name}
            label={label}
            defaultValue={typeof e.initial_date_time === 'number' ? localTime(e.initial_date_time) : undefined}
            onChange={(v) =>
              v.currentTarget.value &&
              act({ selected_date_time: Math.floor(new Date(v.currentTarget.value).getTime() / 1000) })
            }
          />
        );
      case 'plain_text_input':
      case 'email_text_input':
      case 'url_text_input':
      case 'number_input':
        return (
          <TextInput
            size="xs"
            aria-label={name}
            label={label}
            placeholder={words(e.placeholder)}
            defaultValue={e.initial_value}
            onKeyDown={(k) => k.key === 'Enter' && act({ value: k.currentTarget.value })}
          />
        );
      default:
        return (
          <span className="dimmed">
            {name} (elements of type {String(e.type)} are not available here)
          </span>
        );
    }
  };

  const choices = (
    type: string,
  ): { options: { value: string; label: string }[]; pick: (v: string) => Record<string, unknown> } => {
    if (type === 'users_select') {
      return {
        options: [...(people?.values() ?? [])].map((u) => ({ value: u.id, label: nameOf(u) })),
        pick: (v) => ({ selected_user: v }),
      };
    }
    if (type === 'conversations_select' || type === 'channels_select') {
      const open = [...store.snapshot().channels.values()].filter(
        (c) => type === 'conversations_select' || c.kind === 'public',
      );
      return {
        options: open.map((c) => ({ value: c.id, label: store.titleOf(c) })),
        pick: (v) => ({ [type === 'channels_select' ? 'selected_channel' : 'selected_conversation']: v }),
      };
    }
    const options = optionsOf(e);
    return { options, pick: (v) => ({ selected_option: options.find((o) => o.value === v)?.option }) };
  };

  return (
    <>
      {draw()}
      {confirming && (
        <Confirm
          title={words(e.confirm?.title) || 'Are you sure?'}
          act={words(e.confirm?.confirm) || 'Yes'}
          deny={words(e.confirm?.deny) || 'No'}
          danger={e.confirm?.style === 'danger'}
          close={() => setConfirming(undefined)}
          confirm={() => void press(block, e, confirming)}
        >
          <p>{words(e.confirm?.text)}</p>
        </Confirm>
      )}
    </>
  );
}

function many(e: Block, values: string[]): Record<string, unknown> {
  switch (e.type) {
    case 'multi_users_select':
      return { selected_users: values };
    case 'multi_conversations_select':
      return { selected_conversations: values };
    case 'multi_channels_select':
      return { selected_channels: values };
  }
  return {
    selected_options: optionsOf(e)
      .filter((o) => values.includes(o.value))
      .map((o) => o.option),
  };
}
