// Unpacks the browser once, before several tests start it at the same time.
import { startBrowser } from './server.mjs';

await (await startBrowser()).close();
