/** System calls that a guest must not make, tested from inside by a program that makes them. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeInBubblewrap } from '../../../../../test/describe-in-bubblewrap.ts';
import { createContractFixture, type ContractFixture } from '../../testing/sandbox-contract-fixture.ts';
import { bubblewrap } from '../bubblewrap.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import { syscallFilter } from './syscall-filter.ts';

it('has a filter for the architectures whose numbers it knows', () => {
  expect(syscallFilter('x64')?.length).toBe(syscallFilter('arm64')?.length);
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
});
