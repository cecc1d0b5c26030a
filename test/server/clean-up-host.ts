/**
 * Process that cleans up a machine once, and can be killed. Its arguments are the store's address, the configuration as
 * JSON, and the time in milliseconds since 1970.
 */
import { readServerConfig } from '../../packages/server/src/config/read-server-config.ts';
import { createRunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import { cleanUpRuns } from '../../packages/server/src/runs/workers/clean-up.ts';
import { openExecutor } from '../../packages/server/src/serve/open-runs.ts';
import { openStore } from '../../packages/store/src/open-store.ts';

const [url = '', config = '{}', nowMs = '0'] = process.argv.slice(2);
const store = await openStore({ url, onWarning: () => undefined });
const executor = await openExecutor(readServerConfig(JSON.parse(config), 'The configuration'), {
  environment: process.env,
});
if (executor === undefined) throw new TypeError('The configuration has no `runs`.');
await cleanUpRuns({
  machine: createRunMachine({ store, now: () => Number(nowMs) }),
  executor,
  keepMs: 30 * 86_400_000,
  isClosing: () => false,
  onCleanUp: () => undefined,
  onFault: (message, cause) => void process.stderr.write(`${message} ${String(cause)}\n`),
});
await store.close();
