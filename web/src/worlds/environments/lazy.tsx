import { later } from '../../ui/later';

/** The dialog of an act, which is loaded when it is first opened. */
export const EnvironmentDialog = later(() => import('./Acts'), 'Acts');
