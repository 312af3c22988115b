/** One message of a stream. */
export interface Message {
  id: string;
  event: string;
  data: string;
}

/** Parses the text of a stream piece by piece, and returns the complete messages. */
export class Messages {
  #rest = '';
  #id = '';

  /** The id to resume from after a break. The stream may send it without a message. */
  get id(): string {
    return this.#id;
  }

  take(piece: string): Message[] {
    const blocks = (this.#rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const data: string[] = [];
      let event = 'message';
      for (const line of block.split('\n')) {
        const colon = line.indexOf(':');
        const value = line.slice(colon + 1).replace(/^ /, '');
        const name = line.slice(0, Math.max(colon, 0));
        if (name === 'data') {
          data.push(value);
        } else if (name === 'id') {
          this.#id = value;
        } else if (name === 'event') {
          event = value;
        }
      }
      return data.length > 0 ? [{ id: this.#id, event, data: data.join('\n') }] : [];
    });
  }
}

export type StreamState = 'connecting' | 'connected' | 'reconnecting';

interface Options {
  token?: string;
  signal: AbortSignal;
  state?: (state: StreamState) => void;
  refused?: (reply: Response) => void; // the stream is not tried again
  take: (message: Message) => void;
}

const wait = 1_000;
const longestWait = 15_000;

/**
 * Reads a stream of server-sent events until it is aborted. It reconnects automatically and resumes after the last
 * message. It replaces EventSource, which cannot send the key in a header.
 */
export async function follow(url: string, { token, signal, state, refused, take }: Options): Promise<void> {
  let last = '';
  let pause = wait;
  state?.('connecting');
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = { Accept: 'text/event-stream', 'Understudy-Client': 'web' };
      if (token) {
        headers.Authorization = `Bearer ${token}`;
      }
      if (last) {
        headers['Last-Event-ID'] = last;
      }
      const reply = await fetch(url, { headers, signal, credentials: 'omit', cache: 'no-store' });
      if (!reply.ok && reply.status < 500 && reply.status !== 429) {
        refused?.(reply);
        return;
      }
      if (reply.ok && reply.body) {
        state?.('connected');
        pause = wait;
        const read = reply.body.pipeThrough(new TextDecoderStream()).getReader();
        const messages = new Messages();
        for (let part = await read.read(); !part.done; part = await read.read()) {
          for (const message of messages.take(part.value)) {
            take(message);
          }
          last = messages.id || last;
        }
      }
    } catch {
      // The network failed, or the stream was aborted.
    }
    if (!signal.aborted) {
      state?.('reconnecting');
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(pause * 2, longestWait);
    }
  }
}
