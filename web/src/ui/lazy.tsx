import { later } from './later';

// Dialogs of the first screen. They are loaded when they are first opened.
export const Confirm = later(() => import('./Dialog'), 'Confirm');
export const JsonDialog = later(() => import('./Json'), 'JsonDialog');
