import { ActionIcon } from '@mantine/core';
import {
  AtSign,
  Bold,
  Code,
  Italic,
  Link as LinkIcon,
  List,
  ListOrdered,
  Quote,
  Slash,
  Smile,
  SquareCode,
  Strikethrough,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import type { Format } from './format';

export type Tool = Format | 'emoji' | 'mention' | 'commands';

interface Props {
  act: (tool: Tool) => void;
  commands: boolean;
}

const formatting: [Format, string, ReactNode][] = [
  ['bold', 'Bold', <Bold key="" size={15} />],
  ['italic', 'Italic', <Italic key="" size={15} />],
  ['strike', 'Strikethrough', <Strikethrough key="" size={15} />],
  ['link', 'Link', <LinkIcon key="" size={15} />],
  ['ordered', 'Ordered list', <ListOrdered key="" size={15} />],
  ['bulleted', 'Bulleted list', <List key="" size={15} />],
  ['quote', 'Quote', <Quote key="" size={15} />],
  ['code', 'Code', <Code key="" size={15} />],
  ['codeBlock', 'Code block', <SquareCode key="" size={15} />],
];

/** The buttons below a composer. They are memoized, so that typing does not render them again. */
export const Toolbar = memo(function Toolbar({ act, commands }: Props) {
  const button = (tool: Tool, label: string, icon: ReactNode): ReactNode => (
    <ActionIcon
      key={tool}
      variant="subtle"
      color="gray"
      size={28}
      aria-label={label}
      title={label}
      onClick={() => act(tool)}
    >
      {icon}
    </ActionIcon>
  );
  return (
    <>
      <div role="toolbar" aria-label="Formatting">
        {formatting.map(([tool, label, icon]) => button(tool, label, icon))}
      </div>
      {button('emoji', 'Emoji', <Smile size={15} />)}
      {button('mention', 'Mention someone', <AtSign size={15} />)}
      {commands && button('commands', 'Commands', <Slash size={15} />)}
    </>
  );
});
