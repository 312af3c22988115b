// The acts of a person of a world. Each method sends one request to the admin plane.

export class Person {
  #call;

  constructor(call) { this.#call = call; }

  /** Performs any act by its name, and returns the reply. */
  act(name, body = {}) { return this.#call('POST', `/${name}`, body); }

  say(channel, text, more = {}) {
    return this.act('say', { ...(channel !== undefined && channel !== null && { channel }), ...(text !== undefined && { text }), ...more });
  }

  edit(message, text, more = {}) { return this.act('edit', { message, text, ...more }); }

  delete(message) { return this.act('delete', { message }); }

  react(message, emoji, more = {}) { return this.act('react', { message, emoji, ...more }); }

  click(message, action_id, more = {}) { return this.act('click', { message, action_id, ...more }); }

  choose(message, action_id, values, more = {}) { return this.act('choose', { message, action_id, values, ...more }); }

  shortcut(callback_id, more = {}) { return this.act('shortcut', { callback_id, ...more }); }

  run(command, more = {}) { return this.act('run', { command, ...more }); }

  join(channel) { return this.act('join', { channel }); }

  leave(channel) { return this.act('leave', { channel }); }

  read(channel, more = {}) { return this.act('read', { channel, ...more }); }

  session(options = {}) { return this.act('session', options); }

  async inbox(options = {}) { return (await this.#call('GET', '/inbox', undefined, options)).items; }

  async wait(wanted = {}, options = {}) { return (await this.act('wait', { for: wanted, ...options })).item; }
}
