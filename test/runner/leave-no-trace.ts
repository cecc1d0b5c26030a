/**
 * What the next test must not see: facts about engines, whose free port it can get again, and after each file its
 * variables of the environment. Files share a process. Programs that a test starts do not see the worker's settings.
 */
import { afterAll, afterEach, vi } from 'vitest';
import { forgetEngines } from '../../packages/model/src/ladder/engine.ts';
import { forgetQuickFork } from './quick-fork.ts';

delete process.env['MALLOC_ARENA_MAX'];
delete process.env['MALLOC_TRIM_THRESHOLD_'];
forgetQuickFork();
afterEach(forgetEngines);
afterAll(() => void vi.unstubAllEnvs());
