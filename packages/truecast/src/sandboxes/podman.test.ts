/**
 * `podman()` on a real engine: the contract of every sandbox, container-specific behavior, and no
 * way out over git.
 */
import { describe } from 'vitest';
import { describeWithEngine } from '../../../../test/containers/describe-with-engine.ts';
import { TEST_IMAGE } from '../../../../test/containers/shared-image.ts';
import { BESIDE_BUBBLEWRAP, ENGINE_ROWS, matrixRow } from '../../../../test/matrix.ts';
import { escapeSuite } from '../../../testing/src/escape-suite.ts';
import { sandboxContract } from '../../../testing/src/sandbox-contract.ts';
import { declareImageCommands } from '../../../../test/cli/declare-image-commands.ts';
import { declareContainer } from '../../../../test/containers/declare-container.ts';
import { podman } from './podman.ts';
import { declareBranchTricks } from '../../../../test/declare-branch-tricks.ts';
import { declareGitEscapes } from '../../../../test/declare-git-escapes.ts';
import { declareGitHistory } from '../../../../test/declare-git-history.ts';
import { declareProtectedCheckout } from '../../../../test/declare-protected-checkout.ts';

const ROW = ENGINE_ROWS.podman;

describeWithEngine('podman', 'podman', () => {
  sandboxContract(
    'podman',
    { provider: podman({ imageName: TEST_IMAGE }) },
    { describe, it: matrixRow(ROW, BESIDE_BUBBLEWRAP) },
  );
  escapeSuite(
    'podman',
    { sandbox: podman({ imageName: TEST_IMAGE, egress: 'none' }) },
    { describe, it: matrixRow(ROW, BESIDE_BUBBLEWRAP) },
  );
  describe('a container', () => declareContainer('podman'));
  describe('the way out', () =>
    declareGitEscapes(() => podman({ imageName: TEST_IMAGE, egress: 'none' }), ROW));
  describe('git', () => declareGitHistory(() => podman({ imageName: TEST_IMAGE, egress: 'none' }), ROW));
  describe('commits outside of the branch', () =>
    declareBranchTricks(() => podman({ imageName: TEST_IMAGE, egress: 'none' }), true));
  describe('the image commands', () => declareImageCommands('podman'));
  describe('in the checkout itself', () =>
    declareProtectedCheckout(() => podman({ imageName: TEST_IMAGE, egress: 'none' }), ROW));
});
