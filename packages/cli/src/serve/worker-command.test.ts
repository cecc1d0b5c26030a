import { expect, it } from 'vitest';
import { configOf } from './worker-command.ts';

it('takes `--shutdown-seconds` instead of the setting', () => {
  const config = { shutdownMs: 30_000, subagents: true };
  expect(configOf({}, config)).toBe(config);
  expect(configOf({ shutdownSeconds: 5 }, config)).toEqual({ shutdownMs: 5_000, subagents: true });
});
