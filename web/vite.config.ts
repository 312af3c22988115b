import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

// The server sends assets as the build left them: compressed once, here.
function compressed(): Plugin {
  return {
    name: 'compressed-assets',
    apply: 'build',
    closeBundle() {
      const dir = join(import.meta.dirname, 'dist', 'assets');
      for (const name of readdirSync(dir)) {
        if (/\.(js|css|json|svg)$/.test(name)) {
          writeFileSync(join(dir, `${name}.gz`), gzipSync(readFileSync(join(dir, name)), { level: 9 }));
        }
      }
    },
  };
}

export default defineConfig({
  base: './', // files find each other: they are served below /ui/ and beside a GraphQL endpoint
  plugins: [react(), compressed()],
  build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { '^/(messaging|crm|tracker|ingest|admin|e)/': { target: 'http://127.0.0.1:4400', ws: true } } },
});
