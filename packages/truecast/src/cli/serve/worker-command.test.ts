import { expect, it } from 'vitest';
import { configOf } from './worker-command.ts';

it('takes `--shutdown-seconds` instead of the setting', () => {
  const config = { shutdownSeconds: 30, subagents: true };
  expect(configOf({}, config)).toBe(config);
  expect(configOf({ shutdownSeconds: 5 }, config)).toEqual({ shutdownSeconds: 5, subagents: true });
});
