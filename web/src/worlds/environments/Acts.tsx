import type { ActProps } from './act';
import { CreateDialog } from './Create';
import { DeleteDialog, DeleteSeveral, ResetDialog, SnapshotDialog } from './Dialogs';
import { ForkDialog } from './Fork';

/** The dialog of an action. */
export function Acts({ act, close, done }: ActProps) {
  switch (act.kind) {
    case 'create':
      return <CreateDialog close={close} />;
    case 'fork':
      return <ForkDialog of={act.of} snapshot={act.snapshot} close={close} />;
    case 'snapshot':
      return <SnapshotDialog of={act.of} close={close} />;
    case 'reset':
      return <ResetDialog of={act.of} close={close} />;
    case 'delete':
      return <DeleteDialog of={act.of} close={close} done={done} />;
    case 'delete several':
      return <DeleteSeveral several={act.several} close={close} done={done} />;
  }
}
