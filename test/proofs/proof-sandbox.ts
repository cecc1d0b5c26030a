/** Sandboxes of a proof, by their names. Containers get an engine with an image of this machine's programs. */
import assert from 'node:assert/strict';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import { startTestPodman } from '../containers/test-engines.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';

/** A sandbox for each run of a proof. */
export interface ProofSandbox {
  sandbox(): SandboxProvider;
  stop(): Promise<void>;
}

/** Opens `none`, `bubblewrap` or `podman`. */
export async function openProofSandbox(name: string): Promise<ProofSandbox> {
  const stop = (): Promise<void> => Promise.resolve();
  if (name === 'none') return { sandbox: () => noSandbox(), stop };
  if (name === 'bubblewrap') return { sandbox: () => bubblewrap({ egress: 'none' }), stop };
  assert(name === 'podman', `Expected none, bubblewrap or podman, got ${name}.`);
  const engine = await startTestPodman();
  return { sandbox: () => podman({ imageName: TEST_IMAGE, egress: 'none' }), stop: () => engine.stop() };
}
