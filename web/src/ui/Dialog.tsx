import '@mantine/core/styles/Modal.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import { Button, Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFocusReturn } from './focus';

type Props = Omit<ModalProps, 'opened' | 'onClose'> & { close: () => void; children: ReactNode };

/** An open dialog. Esc and its button close it, and return the focus. */
export function Dialog({ close, children, ...more }: Props) {
  useFocusReturn();
  return (
    <Modal opened onClose={close} closeButtonProps={{ 'aria-label': 'Close' }} {...more}>
      {children}
    </Modal>
  );
}

/** Sets the role alertdialog, which the component library does not support. */
const asAlert = (el: HTMLElement | null): void => el?.closest('[role=dialog]')?.setAttribute('role', 'alertdialog');

interface ConfirmProps {
  title: string;
  act: string; // the label of the confirming button
  deny?: string;
  danger?: boolean;
  disabled?: boolean;
  close: () => void;
  confirm: () => void;
  children: ReactNode;
}

/** A dialog that asks for confirmation. */
export function Confirm({ title, act, deny = 'Cancel', danger, disabled, close, confirm, children }: ConfirmProps) {
  return (
    <Dialog title={title} close={close}>
      <span hidden ref={asAlert} />
      {children}
      <div className="buttons">
        <Button
          data-autofocus
          color={danger ? 'red' : undefined}
          disabled={disabled}
          onClick={() => {
            close();
            confirm();
          }}
        >
          {act}
        </Button>
        <Button variant="default" onClick={close}>
          {deny}
        </Button>
      </div>
    </Dialog>
  );
}
