import { describe, it } from 'vitest';
import { describeInBubblewrap } from '../../../../test/describe-in-bubblewrap.ts';
import { BESIDE_BUBBLEWRAP, matrixRow } from '../../../../test/matrix.ts';
import { sandboxContract } from '../../../testing/src/sandbox-contract.ts';
import { localIsolatedSandbox } from '../../../testing/src/local-isolated-sandbox.ts';
import { bubblewrap } from './bubblewrap.ts';
import { createBindMountSandboxProvider } from './shared/create-bind-mount-sandbox-provider.ts';
import { noSandbox } from './no-sandbox.ts';
import type { SandboxHandle } from '../ports/sandbox-provider.ts';

sandboxContract(
  'localIsolatedSandbox',
  { provider: localIsolatedSandbox() },
  { describe, it: matrixRow(0, BESIDE_BUBBLEWRAP) },
);
sandboxContract(
  'noSandbox',
  { provider: noSandbox() },
  { describe, it: matrixRow(0, { rows: 4, stride: 4 }) },
);
describeInBubblewrap('bubblewrap', () => {
  sandboxContract('bubblewrap', { provider: bubblewrap() }, { describe, it });
});

/** A handle as users write it, with only the required members. */
const plain = createBindMountSandboxProvider({
  name: 'plain',
  async create(options) {
    const host = await noSandbox().create(options);
    const handle: SandboxHandle = {
      worktreePath: host.worktreePath,
      exec: (command, given) => host.exec(command, given),
      close: () => host.close(),
    };
    return handle;
  },
});
sandboxContract(
  'a provider of one’s own',
  { provider: plain },
  { describe, it: matrixRow(5, BESIDE_BUBBLEWRAP) },
);
