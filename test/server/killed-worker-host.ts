/** A process that works on the turns of a store, under a lease that no test outlasts: its arguments are the store's address and the model's. */
import { openWorker } from '../../src/serve/open-worker.ts';

const [databaseUrl = '', modelUrl = ''] = process.argv.slice(2);

await openWorker({
  databaseUrl,
  models: [],
  config: {},
  environment: { TRUECAST_BASE_URL: modelUrl, TRUECAST_MODEL: 'scripted' },
  leaseMs: 24 * 60 * 60_000,
  log: (line) => process.stderr.write(`${line}\n`),
});
