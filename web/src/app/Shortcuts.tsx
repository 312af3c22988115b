import '@mantine/core/styles/Table.layer.css';
import '@mantine/core/styles/Kbd.layer.css';
import { Kbd, Table } from '@mantine/core';
import { Dialog } from '../ui/Dialog';

const rows: [keys: string, where: string, does: string][] = [
  ['Ctrl K', 'anywhere', 'Go to…'],
  ['g, then m t w c i', 'outside text', 'Messaging, Traces, Worlds, CRM, Tracker'],
  ['g, then e', 'outside text', 'the latest call of an agent that failed'],
  ['F6, Shift F6', 'anywhere', 'next, previous region'],
  ['/', 'outside text', 'the search box of the screen'],
  ['Esc', 'anywhere', 'close what is on top; in a conversation: all read'],
  ['Alt ↑, Alt ↓', 'messaging', 'previous, next conversation; with Shift: with something unread'],
  ['Enter, Shift Enter', 'composer', 'send, new line'],
  ['↑', 'empty composer', 'edit your last message'],
  ['Ctrl B, I, Shift X, E', 'composer', 'bold, italic, strikethrough, code'],
  ['Ctrl Shift 7, 8, 9', 'composer', 'ordered list, bulleted list, quote'],
  ['↑ ↓ or k j', 'messages', 'previous, next message'],
  ['Home, End, PgUp, PgDn', 'messages', 'first, newest message of the channel; a screen'],
  ['r, t or →, e, Del, u, l', 'a message', 'react, thread, edit, delete, mark unread from here, copy link'],
  ['↑ ↓ ← →', 'a trace', 'row; collapse and expand'],
  ['Enter, n, p, f', 'a trace', 'details; next, previous error; find'],
  ['+ - 0, [ ]', 'a trace', 'zoom; next, previous session'],
  ['?', 'outside text', 'this list'],
];

export function ShortcutsDialog({ close }: { close: () => void }) {
  return (
    <Dialog close={close} title="Keyboard shortcuts" size="lg">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Keys</Table.Th>
            <Table.Th>Where</Table.Th>
            <Table.Th>Does</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([keys, where, does]) => (
            <Table.Tr key={keys + where}>
              <Table.Td>
                <Kbd display="inline-block">{keys}</Kbd>
              </Table.Td>
              <Table.Td>{where}</Table.Td>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
