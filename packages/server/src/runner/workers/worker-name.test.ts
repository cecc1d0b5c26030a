import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isDeadWorker, nameWorker } from './worker-name.ts';

describe.runIf(process.platform === 'linux')('the name of a worker', () => {
  const [kind, boot, namespace, pid, startTicks, own] = nameWorker().split(' ');

  it('is new each time', () => {
    expect(nameWorker()).not.toBe(nameWorker());
  });

  it('reports a running process as alive', () => {
    expect(isDeadWorker(nameWorker())).toBe(false);
  });

  it('reports an ended process as dead, even if its pid was reused', async () => {
    const child = spawn(process.execPath, ['--eval', '0']);
    await once(child, 'exit');
    expect(isDeadWorker([kind, boot, namespace, child.pid, startTicks, own].join(' '))).toBe(true);
    expect(isDeadWorker([kind, boot, namespace, pid, `${startTicks}1`, own].join(' '))).toBe(true);
  });

  it('reports nothing about a process of another machine or container, or without a name', () => {
    const dead = 2 ** 22 + 1;
    expect(isDeadWorker([kind, boot, namespace, dead, startTicks, own].join(' '))).toBe(true);
    expect(isDeadWorker([kind, 'other', namespace, dead, startTicks, own].join(' '))).toBe(false);
    expect(isDeadWorker([kind, boot, 'pid:[1]', dead, startTicks, own].join(' '))).toBe(false);
    expect(isDeadWorker('b9c2f6f0-0000-4000-8000-000000000000')).toBe(false);
  });
});
