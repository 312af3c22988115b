import { ActionIcon } from '@mantine/core';
import { Ellipsis, Link as LinkIcon, MailOpen, MessageSquareReply, Pencil, SmilePlus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Menu } from '../ui/Menu';
import { useShown } from './context';

/** A dialog that an action opens. */
export type Dialog = 'emoji' | 'delete' | 'json';

interface Props {
  mine: boolean;
  reply?: () => void;
  edit: () => void;
  open: (dialog: Dialog) => void;
  markUnread: () => void;
  copyLink: () => void;
  copyText: () => void;
  /** Runs a message shortcut of an app. */
  run: (app: string, callback: string) => void;
  /** Shows the request that wrote the message. It is absent without the admin key. */
  showCause?: () => void;
}

/** The actions of a message. A row renders them on first hover or focus, so that lists render quickly. */
export function Actions(p: Props) {
  const shortcuts = useShown((s) => s.boot?.shortcuts);
  return (
    <div role="toolbar" aria-label="Message actions" className="actions">
      <Action label="React" icon={<SmilePlus size={16} />} act={() => p.open('emoji')} />
      {p.reply && <Action label="Reply in thread" icon={<MessageSquareReply size={16} />} act={p.reply} />}
      {p.mine && <Action label="Edit" icon={<Pencil size={16} />} act={p.edit} />}
      {p.mine && <Action label="Delete" icon={<Trash2 size={16} />} act={() => p.open('delete')} />}
      <Action label="Mark unread from here" icon={<MailOpen size={16} />} act={p.markUnread} />
      <Action label="Copy link" icon={<LinkIcon size={16} />} act={p.copyLink} />
      <Menu
        items={[
          { title: 'Copy text', act: p.copyText },
          { title: 'Show as JSON', act: () => p.open('json') },
          ...(p.showCause ? [{ title: 'Show cause', act: p.showCause }] : []),
          ...(shortcuts ?? [])
            .filter((x) => x.type === 'message')
            .map((x) => ({
              key: x.app_id + x.callback_id,
              title: (
                <>
                  {x.name} <span className="dimmed">{x.app_name}</span>
                </>
              ),
              act: () => p.run(x.app_id, x.callback_id),
            })),
        ]}
      >
        <ActionIcon variant="subtle" color="gray" size={28} aria-label="More actions">
          <Ellipsis size={16} />
        </ActionIcon>
      </Menu>
    </div>
  );
}

function Action({ label, icon, act }: { label: string; icon: ReactNode; act: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size={28} aria-label={label} title={label} onClick={act}>
      {icon}
    </ActionIcon>
  );
}
