/** Build of the console: static files in the server's package. `npm run dev:web` serves them with a proxy. */
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import type { CodeSplittingGroup } from 'rolldown';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { bundledLicenses } from '../scripts/bundled-licenses.ts';
import { checkBudgets } from './build/check-budgets.ts';
import { listFiles } from './build/list-files.ts';

const SERVER = 'http://127.0.0.1:4747';
const PROXIED = ['/api', '/v1', '/docs/llms.txt', '/openapi.json', '/healthz'];

/** One file: with its 31 small ones, a browser took twice the processor time for the first page. */
const FIRST_VIEW: CodeSplittingGroup = { name: 'first-view', tags: ['$initial'], priority: 1 };
/** Code of several pages, in few files. Some of it is for other pages than the one that loads it. */
const PARTS: CodeSplittingGroup = {
  name: 'parts',
  minShareCount: 2,
  entriesAware: true,
  entriesAwareMergeThreshold: 40_000,
};

/** With another `NODE_ENV`, as in a test runner, React's development build would be bundled. */
const productionBuild: Plugin = {
  name: 'production-build',
  apply: 'build',
  config() {
    process.env['NODE_ENV'] = 'production';
  },
};

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  plugins: [productionBuild, tailwindcss(), bundledLicenses(), checkBudgets(), listFiles()],
  resolve: {
    // The decoder of that package for browsers writes `innerHTML`, which the policy forbids.
    alias: { 'markdown-to-jsx/entities': join(import.meta.dirname, 'src/markdown/named-entities.ts') },
  },
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: join(import.meta.dirname, '../packages/server/console'),
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files would need `data:` in the policy for more than images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Directives for servers that render React are of no use here.
    rolldownOptions: {
      checks: { pluginTimings: false, moduleLevelDirective: false },
      output: {
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
        codeSplitting: { groups: [FIRST_VIEW, PARTS] },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      PROXIED.map((path) => [
        path,
        // The server refuses foreign hosts and origins.
        {
          target: SERVER,
          changeOrigin: true,
          configure: (proxy) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
        },
      ]),
    ),
  },
});

export default config;
