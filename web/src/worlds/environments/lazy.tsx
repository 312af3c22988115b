import { later } from '../../ui/later';

/** The dialog of an action. It is loaded when it is first opened. */
export const EnvironmentDialog = later(() => import('./Acts'), 'Acts');
