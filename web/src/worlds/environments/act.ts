import type { Environment } from '../../app/admin';
import type { Snapshot } from '../api';

/** An action on environments. Each has a dialog. */
export type Act =
  | { kind: 'create' }
  | { kind: 'fork'; of: Environment; snapshot?: Snapshot }
  | { kind: 'snapshot' | 'reset' | 'delete'; of: Environment }
  | { kind: 'delete several'; several: Environment[] };

export interface ActProps {
  act: Act;
  close: () => void;
  done?: () => void;
}
