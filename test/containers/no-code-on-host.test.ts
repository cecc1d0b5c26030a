/** Code on the host: no attack of a guest in a container starts a program by way of the user's git. */
import type { BindMountSandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { docker } from '../../packages/truecast/src/sandboxes/docker.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import { declareNoCodeOnHost } from '../run/declare-no-code-on-host.ts';
import { FORM } from '../matrix.ts';
import { describeWithEngine } from './describe-with-engine.ts';
import { TEST_IMAGE } from './shared-image.ts';

const ENGINES = { podman, docker } as const;

// The short form attacks from Docker in `docker.test.ts`, which starts its own daemon too.
const TRIED = FORM === 'whole' ? (['podman', 'docker'] as const) : (['podman'] as const);

for (const [row, engine] of TRIED.entries()) {
  const sandbox: BindMountSandboxProvider = ENGINES[engine]({ imageName: TEST_IMAGE, egress: 'none' });
  describeWithEngine(engine, `a guest in ${engine} and the git of its user`, () =>
    declareNoCodeOnHost(sandbox, row),
  );
}
