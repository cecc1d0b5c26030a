/** System calls that a guest must not make, tested from inside by a program that makes them. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeInBubblewrap } from '../../../../../test/describe-in-bubblewrap.ts';
import {
  createContractFixture,
  type ContractFixture,
} from '../../../../testing/src/sandbox-contract-fixture.ts';
import { bubblewrap } from '../bubblewrap.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import { syscallFilter } from './syscall-filter.ts';

it('has a filter for the architectures whose numbers it knows', () => {
  // 8 bytes per instruction, of which one jump can skip 255.
  for (const name of ['x64', 'arm64']) expect(syscallFilter(name)?.length, name).toBeLessThan(255 * 8);
  expect(syscallFilter('riscv64')).toBeUndefined();
});

describeInBubblewrap('a guest', () => {
  let fixture: ContractFixture;
  let handle: SandboxHandle;
  beforeEach(async () => {
    fixture = await createContractFixture();
    handle = await bubblewrap({ egress: 'host' }).create(fixture.options);
  });
  afterEach(async () => {
    await handle.close();
    await fixture.remove();
  });

  it('opens no socket that a network namespace does not cover', async () => {
    const { stdout, stderr } = await handle.exec(`perl -e '
      for my $family (40, 38, 44, 31, 1, 2, 10, 16) { print "$family ", socket(my $s, $family, $family == 16 ? 3 : 1, 0) ? "open" : $! + 0, "\\n" }'`);
    expect(stdout, stderr).toBe('40 97\n38 97\n44 97\n31 97\n1 open\n2 open\n10 open\n16 open\n');
  });

  it('reaches neither keyring nor io_uring, bpf, perf or userfaultfd', async () => {
    const numbers = process.arch === 'arm64' ? [219, 425, 280, 241, 282] : [250, 425, 321, 298, 323];
    const { stdout, stderr } = await handle.exec(
      `perl -e 'for my $n (${numbers.join()}) { print syscall($n, 0, 0, 0, 0, 0), " ", $! + 0, "\\n" }'`,
    );
    expect(stdout, stderr).toBe('-1 38\n'.repeat(5));
  });

  it('sets no setuid or setgid bit, by any call that takes a mode', async () => {
    const all = [
      ['chmod', 90, undefined, '$f, M'],
      ['fchmod', 91, 52, 'fileno($h), M'],
      ['fchmodat', 268, 53, '-100, $f, M'],
      ['fchmodat2', 452, 452, '-100, $f, M, 0'],
      ['creat', 85, undefined, '$n, M'],
      ['mknod', 133, undefined, '$n, 0100000 | M, 0'],
      ['mknodat', 259, 33, '-100, $n, 0100000 | M, 0'],
      ['open', 2, undefined, '$n, 0101, M'],
      ['openat', 257, 56, '-100, $n, 0101, M'],
      ['openat O_TMPFILE', 257, 56, '-100, $d, 020200002, M'],
      ['open without O_CREAT', 2, undefined, '$f, 0, M'],
      ['openat without O_CREAT', 257, 56, '-100, $f, 0, M'],
    ] as const;
    const calls = all
      .map(([name, x64, arm64, args]) => ({ name, args, number: process.arch === 'arm64' ? arm64 : x64 }))
      .filter(({ number }) => number !== undefined);
    const script = calls
      .flatMap(({ name, args, number }) =>
        ['04755', '02755', '06755', '0755'].map(
          (mode) =>
            `unlink $n; my $r = syscall(${number}, ${args.replace('M', mode)}); print "${name} ${mode} ", $r < 0 ? "-$!{EPERM}" : "made", "\\n";`,
        ),
      )
      .join(' ');
    const { stdout, stderr } = await handle.exec(
      `cat > calls.pl <<'E'\nuse Errno; my ($f, $n, $d) = ("file", "new", "."); open(my $h, ">", $f); ${script}\nE\nperl calls.pl`,
    );
    const expected = calls.flatMap(({ name }) =>
      ['04755', '02755', '06755', '0755'].map(
        (mode) => `${name} ${mode} ${mode === '0755' || name.includes('without') ? 'made' : '-1'}`,
      ),
    );
    expect(stdout.trim().split('\n'), stderr).toEqual(expected);
    const left = readdirSync(fixture.worktreePath).map((name) => statSync(join(fixture.worktreePath, name)));
    expect(left.filter(({ mode }) => (mode & 0o6000) !== 0)).toEqual([]);
  });

  it('opens files without openat2, which programs take as an older kernel', async () => {
    const { stdout, stderr } = await handle.exec(
      `perl -e 'my $p = "a"; print syscall(437, -100, $p, 0, 0), " ", $! + 0, "\n"'; echo x > a; cp -r . /tmp/copy && cat /tmp/copy/a; tar -cf - a | tar -C /tmp -xf - && cat /tmp/a; chmod 1755 . && chmod 755 .`,
    );
    expect(stdout, stderr).toBe('-1 38\nx\nx\n');
  });
});
