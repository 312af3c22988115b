import { Confirm } from '../ui/Dialog';

interface Props {
  name: string;
  close: () => void;
  confirm: () => void;
}

/** Asks before a private channel is left: nobody can join it by himself. */
export function LeavePrivate({ name, close, confirm }: Props) {
  return (
    <Confirm title={`Leave #${name}?`} act="Leave" danger close={close} confirm={confirm}>
      <p>It is private: only its members can add you again.</p>
    </Confirm>
  );
}
