/**
 * What the next test must not see: facts about engines, whose free port it can get again, and after each file its
 * variables of the environment. Files share a process.
 */
import { afterAll, afterEach, vi } from 'vitest';
import { forgetEngines } from '../packages/model/src/ladder/engine.ts';

afterEach(forgetEngines);
afterAll(() => void vi.unstubAllEnvs());
