/** Build of the console: static files in the server's package. `npm run dev:web` serves them with a proxy. */
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import type { CodeSplittingGroup } from 'rolldown';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { bundledLicenses } from '../scripts/bundled-licenses.ts';
import { checkBudgets } from './build/check-budgets.ts';
import { checkCycles } from './build/check-cycles.ts';
import { listFiles } from './build/list-files.ts';

const SERVER = 'http://127.0.0.1:4747';
const PROXIED = ['/api', '/v1', '/docs/llms.txt', '/openapi.json', '/healthz'];

/** Files of code that is in several pages. Without them, the first page loads 31 scripts, and each other one ten. */
const GROUPS: readonly CodeSplittingGroup[] = [
  { name: 'first-view', tags: ['$initial'], priority: 3 },
  { name: 'common', minShareCount: 6, priority: 2 },
  { name: 'parts', minShareCount: 3, priority: 1 },
];

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
  plugins: [productionBuild, tailwindcss(), bundledLicenses(), checkBudgets(), checkCycles(), listFiles()],
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
      output: { codeSplitting: { groups: [...GROUPS] } },
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
