import { later } from '../../ui/later';

/** The emoji dialog, which is loaded when it is first opened. */
export const EmojiDialog = later(() => import('./EmojiDialog'), 'EmojiDialog');
