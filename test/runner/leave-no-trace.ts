/**
 * What the next file must not see, since files share a process: facts about engines, whose free port it can get again,
 * and after each file its variables of the environment. Programs that a test starts do not see the worker's settings.
 */
import { afterAll, afterEach, vi } from 'vitest';
import { forgetEngines } from '../../packages/model/src/ladder/engine.ts';
import { forgetQuickFork } from './quick-fork.ts';

delete process.env['MALLOC_ARENA_MAX'];
delete process.env['MALLOC_TRIM_THRESHOLD_'];
forgetQuickFork();

const before = { ...process.env };
afterEach(forgetEngines);
afterAll(() => {
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
