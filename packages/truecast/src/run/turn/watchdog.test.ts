import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCompletionWatch } from './completion-signal.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(): { dog: Watchdog; completion: ReturnType<typeof createCompletionWatch>; told: string[] } {
  const completion = createCompletionWatch(['DONE']);
  const told: string[] = [];
  const dog = startWatchdog({
    idleTimeoutMs: 600_000,
    completionTimeoutMs: 60_000,
    completion,
    onWarning: (message) => told.push(message),
    onTimeout: (kind) => told.push(kind),
  });
  return { dog, completion, told };
}

describe('a watchdog', () => {
  it('ends an agent that is silent for too long, with a warning each minute before', () => {
    const { told } = start();
    vi.advanceTimersByTime(600_100);
    expect(told.at(-1)).toBe('idle');
    expect(told).toHaveLength(10);
    expect(told[0]).toContain('1 minute.');
  });

  it('begins anew at any output', () => {
    const { dog, told } = start();
    vi.advanceTimersByTime(599_000);
    dog.activity();
    vi.advanceTimersByTime(599_000);
    expect(told).not.toContain('idle');
  });

  it('ends an agent that printed its completion signal and does not exit', () => {
    const { dog, completion, told } = start();
    completion.text('DONE');
    dog.activity();
    vi.advanceTimersByTime(60_100);
    expect(told).toEqual(['completed']);
  });

  it('waits for a tool call that is still open', () => {
    const { dog, completion, told } = start();
    completion.toolCall('1');
    completion.text('DONE');
    dog.activity();
    vi.advanceTimersByTime(120_000);
    expect(told).not.toContain('completed');
  });

  it('gives the full idle time back when a tool call takes the signal back', () => {
    const { dog, completion, told } = start();
    completion.text('DONE');
    dog.activity();
    completion.toolCall('1');
    dog.activity();
    vi.advanceTimersByTime(500_000);
    expect(told).not.toContain('completed');
  });

  it('is silent once stopped', () => {
    const { dog, told } = start();
    dog.stop();
    vi.advanceTimersByTime(1_000_000);
    expect(told).toEqual([]);
  });
});
