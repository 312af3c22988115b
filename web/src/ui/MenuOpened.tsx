import '@mantine/core/styles/Popover.layer.css';
import { Menu } from '@mantine/core';
import { cloneElement, useLayoutEffect, useRef, useState } from 'react';
import '@mantine/core/styles/Menu.layer.css';
import type { MenuItem, MenuProps } from './menuItem';

/** A menu whose code was just loaded. It opens at once, and its button keeps the focus. */
export default function MenuOpened({ items, align = 'end', inside, children }: MenuProps) {
  const [opened, setOpened] = useState(false);
  const button = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    button.current?.focus({ preventScroll: true });
    setOpened(true);
  }, []);
  return (
    <Menu
      opened={opened}
      onChange={setOpened}
      position={`bottom-${align}`}
      withinPortal={!inside}
      withInitialFocusPlaceholder={false} // a menu holds items alone
    >
      <Menu.Target>{cloneElement(children, { ref: button })}</Menu.Target>
      <Menu.Dropdown>{items.map((item, n) => draw(item, n))}</Menu.Dropdown>
    </Menu>
  );
}

function draw(item: MenuItem | '-', n: number) {
  if (item === '-') {
    return <Menu.Divider key={n} />;
  }
  const { title, icon, disabled, chosen, act } = item;
  const key = item.key ?? String(title);
  if (chosen === undefined) {
    return (
      <Menu.Item key={key} leftSection={icon} disabled={disabled} onClick={act}>
        {title}
      </Menu.Item>
    );
  }
  return (
    <Menu.RadioItem key={key} value={key} checked={chosen} onChange={act} closeMenuOnClick>
      {title}
    </Menu.RadioItem>
  );
}
