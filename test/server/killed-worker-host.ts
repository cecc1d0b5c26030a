/**
 * Process that runs turns of a store, under a lease that outlasts every test. Its arguments are the
 * addresses of the store and the model.
 */
import { openWorker } from '../../packages/server/src/serve/open-worker.ts';

const [databaseUrl = '', modelUrl = ''] = process.argv.slice(2);

await openWorker({
  databaseUrl,
  models: [],
  config: {},
  environment: { TRUECAST_BASE_URL: modelUrl, TRUECAST_MODEL: 'scripted' },
  leaseMs: 24 * 60 * 60_000,
  writeLog: (line) => process.stderr.write(`${line}\n`),
});
