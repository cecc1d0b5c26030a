/** Memory settings of a worker: it has them, and the programs that a test starts do not. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeUnless } from '../needs.ts';

const SETTINGS = /^MALLOC_\w+=/u;
const notLinux = process.platform === 'linux' ? undefined : 'the settings are those of glibc';

describeUnless(notLinux, 'the memory of a worker', () => {
  it('has one pool, and its programs have their own settings', () => {
    const started = readFileSync('/proc/self/environ', 'utf8').split('\0');
    expect(started.filter((line) => SETTINGS.test(line))).toEqual([
      'MALLOC_ARENA_MAX=1',
      'MALLOC_TRIM_THRESHOLD_=131072',
    ]);
    const inherited = execFileSync('env', { encoding: 'utf8' }).split('\n');
    expect(inherited.filter((line) => SETTINGS.test(line))).toEqual([]);
  });
});
