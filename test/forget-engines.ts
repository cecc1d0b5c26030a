/** Forgets after each test what was learned about engines: the next one can get the same free port. */
import { afterEach } from 'vitest';
import { forgetEngines } from '../packages/model/src/ladder/engine.ts';

afterEach(forgetEngines);
