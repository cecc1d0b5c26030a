import { expect, it } from 'vitest';
import type { RunnerEvent } from '../runner/turn-ports.ts';
import { onceAnHour } from './once-an-hour.ts';

it('logs a repeated warning once an hour, and each other event', () => {
  let nowMs = 0;
  const logged: string[] = [];
  const log = onceAnHour(
    ({ message }) => logged.push(message),
    () => nowMs,
  );
  const dropped: RunnerEvent = { level: 'warn', message: 'dropped', isRepeated: true };
  const failed: RunnerEvent = { level: 'error', message: 'failed' };
  for (const event of [dropped, failed, { ...dropped, chatId: 'other' }, failed]) log(event);
  nowMs = 3_600_000;
  log(dropped);
  expect(logged).toEqual(['dropped', 'failed', 'failed', 'dropped']);
});
