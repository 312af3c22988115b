import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useToasts } from '../app/Toasts';
import { Dialog } from '../ui/Dialog';
import { useMessaging, useShown } from './context';
import { EmojiDialog } from './emoji/lazy';

const lengths: [value: string, label: string][] = [
  ['0', 'Do not clear'],
  ['1800', '30 minutes'],
  ['3600', '1 hour'],
  ['14400', '4 hours'],
  ['86400', '1 day'],
  ['604800', '1 week'],
];

/** A dialog that sets the person's status. It expires by the environment's clock. */
export function SetStatus({ close }: { close: () => void }) {
  const { store } = useMessaging();
  const toasts = useToasts();
  const own = useShown((s) => s.people.get(store.me))?.profile;
  const [text, setText] = useState(own?.status_text ?? '');
  const [emoji, setEmoji] = useState((own?.status_emoji ?? '').replace(/^:|:$/g, ''));
  const [after, setAfter] = useState('0');
  const [choosing, setChoosing] = useState(false);
  const clear = (): void => {
    setText('');
    setEmoji('');
  };
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    const seconds = Number(after);
    const name = emoji.trim().replace(/^:|:$/g, '');
    store
      .setProfile({
        status_text: text,
        status_emoji: name ? `:${name}:` : text ? ':speech_balloon:' : '',
        status_expiration: seconds && (text || name) ? Math.floor(store.now().getTime() / 1000) + seconds : 0,
      })
      .then(close, (e) => toasts.failed(e));
  };
  return (
    <Dialog title="Set a status" close={close}>
      <form onSubmit={submit}>
        <TextInput
          label="Status"
          data-autofocus
          maxLength={100}
          value={text}
          onChange={(e) => setText(e.currentTarget.value)}
        />
        <div className="field below">
          <TextInput
            label="Status emoji"
            placeholder="palm_tree"
            value={emoji}
            onChange={(e) => setEmoji(e.currentTarget.value)}
          />
          <Button variant="default" onClick={() => setChoosing(true)}>
            Choose
          </Button>
        </div>
        <NativeSelect
          label="Clear after"
          value={after}
          onChange={(e) => setAfter(e.currentTarget.value)}
          data={lengths.map(([value, label]) => ({ value, label }))}
        />
        <div className="buttons">
          <Button type="submit">Save status</Button>
          <Button variant="default" onClick={clear}>
            Clear
          </Button>
        </div>
      </form>
      {choosing && (
        <EmojiDialog
          close={() => setChoosing(false)}
          choose={(name) => {
            setChoosing(false);
            setEmoji(name);
          }}
        />
      )}
    </Dialog>
  );
}
