import { later } from '../../ui/later';

/** The emoji dialog. It is loaded when it is first opened. */
export const EmojiDialog = later(() => import('./EmojiDialog'), 'EmojiDialog');
