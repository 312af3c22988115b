#!/usr/bin/env node
// Runs the understudy program with the given arguments: `npx understudy-test serve`.
import { spawn } from 'node:child_process';
import { findBinary } from './server.js';

try {
  const child = spawn(findBinary(), process.argv.slice(2), { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both processes, other signals only to this one.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => fail(error));
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 1;
    if (signal) fail(new Error(`it ended with ${signal}`));
  });
} catch (error) {
  fail(error);
}

function fail(error) {
  console.error(`understudy-test: ${error.message}`);
  process.exitCode = 1;
}
