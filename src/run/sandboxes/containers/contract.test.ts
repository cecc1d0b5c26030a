/** Holds both container sandboxes to the contract of every sandbox, on real engines. */
import { describe, it } from 'vitest';
import { describeWithEngine } from '../../../../test/containers/describe-with-engine.ts';
import { TEST_IMAGE } from '../../../../test/containers/test-engines.ts';
import { sandboxContract } from '../../../testing/sandbox-contract.ts';
import { docker } from '../docker.ts';
import { podman } from '../podman.ts';

describeWithEngine('podman', 'podman, real', () => {
  sandboxContract('podman', { provider: podman({ imageName: TEST_IMAGE }) }, { describe, it });
});

describeWithEngine('docker', 'docker, real', () => {
  sandboxContract('docker', { provider: docker({ imageName: TEST_IMAGE }) }, { describe, it });
});
