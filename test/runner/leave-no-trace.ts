/**
 * Clean-up between files, which share a process: facts about engines are forgotten, because a later test can get the same
 * port, and the environment of the process is restored. Programs that a test starts do not see the worker's settings.
 */
import { afterAll, afterEach, vi } from 'vitest';
import { forgetEngines } from '../../packages/model/src/ladder/engine.ts';
import { forgetQuickFork } from './quick-fork.ts';

forgetQuickFork();

const before = { ...process.env };
afterEach(forgetEngines);
afterAll(() => {
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
