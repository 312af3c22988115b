// Loaded before a program whose upstream address cannot be set: requests to the
// hosts of REDIRECT ({"host": "http://127.0.0.1:1/path"}) go there instead.
const http = require('node:http');
const https = require('node:https');

const target = (host) => JSON.parse(process.env.REDIRECT ?? '{}')[host];
const real = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const url = new URL(typeof input === 'string' || input instanceof URL ? input : input.url);
  const to = target(url.host);
  if (!to) return real(input, init);
  return real(to + url.pathname + url.search, typeof input === 'object' && !(input instanceof URL) ? input : init);
};

const request = https.request;
https.request = (...args) => {
  const options = typeof args[0] === 'object' && !(args[0] instanceof URL) ? args[0] : { ...urlOptions(new URL(args[0])), ...(typeof args[1] === 'object' ? args[1] : {}) };
  const to = target(options.hostname ?? options.host);
  if (!to) return request(...args);
  const url = new URL(to);
  const headers = { ...options.headers, host: url.host };
  delete headers.Host;
  return http.request({ ...options, protocol: 'http:', host: url.hostname, hostname: url.hostname, port: url.port, path: url.pathname.replace(/\/$/, '') + options.path,
    headers, agent: undefined, agents: undefined }, args.find((a) => typeof a === 'function'));
};
const urlOptions = (u) => ({ hostname: u.hostname, path: u.pathname + u.search });
