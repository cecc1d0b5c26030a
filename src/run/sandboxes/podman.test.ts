/** Holds `podman()` on a real engine to the contract of every sandbox, to what is a container's own, and to letting nobody out over git. */
import { describe, it } from 'vitest';
import { describeWithEngine } from '../../../test/containers/describe-with-engine.ts';
import { TEST_IMAGE } from '../../../test/containers/test-engines.ts';
import { sandboxContract } from '../../testing/sandbox-contract.ts';
import { declareContainer } from '../../../test/containers/declare-container.ts';
import { podman } from './podman.ts';
import { declareGitEscapes } from '../../../test/declare-git-escapes.ts';

describeWithEngine('podman', 'podman', () => {
  sandboxContract('podman', { provider: podman({ imageName: TEST_IMAGE }) }, { describe, it });
  describe('a container', () => declareContainer('podman'));
  describe('the way out', () => declareGitEscapes(() => podman({ imageName: TEST_IMAGE, egress: 'none' })));
});
