/**
 * `docker()` on a real engine: the contract of every sandbox, container-specific behavior, and no
 * way out over git.
 */
import { describe, expect, it } from 'vitest';
import { describeWithEngine } from '../../../../test/containers/describe-with-engine.ts';
import { TEST_IMAGE } from '../../../../test/containers/shared-image.ts';
import { BESIDE_BUBBLEWRAP, ENGINE_ROWS, matrixRow } from '../../../../test/matrix.ts';
import { escapeSuite } from '../../../testing/src/escape-suite.ts';
import { sandboxContract } from '../../../testing/src/sandbox-contract.ts';
import { declareImageCommands } from '../../../../test/cli/declare-image-commands.ts';
import { declareContainer } from '../../../../test/containers/declare-container.ts';
import { docker } from './docker.ts';
import { declareGitEscapes } from '../../../../test/declare-git-escapes.ts';
import { declareGitHistory } from '../../../../test/declare-git-history.ts';
import { declareProtectedCheckout } from '../../../../test/declare-protected-checkout.ts';

const ROW = ENGINE_ROWS.docker;

describeWithEngine('docker', 'docker', () => {
  sandboxContract(
    'docker',
    { provider: docker({ imageName: TEST_IMAGE }) },
    { describe, it: matrixRow(ROW, BESIDE_BUBBLEWRAP) },
  );
  escapeSuite(
    'docker',
    { sandbox: docker({ imageName: TEST_IMAGE, egress: 'none' }) },
    { describe, it: matrixRow(ROW, BESIDE_BUBBLEWRAP) },
  );
  describe('a container', () => declareContainer('docker'));
  describe('the way out', () =>
    declareGitEscapes(() => docker({ imageName: TEST_IMAGE, egress: 'none' }), ROW));
  describe('git', () => declareGitHistory(() => docker({ imageName: TEST_IMAGE, egress: 'none' }), ROW));
  describe('the image commands', () => declareImageCommands('docker'));
  describe('in the checkout itself', () =>
    declareProtectedCheckout(() => docker({ imageName: TEST_IMAGE, egress: 'none' }), ROW));

  it('reports that the engine does not respond', async () => {
    const host = process.env['DOCKER_HOST'];
    process.env['DOCKER_HOST'] = 'unix:///nonexistent/docker.sock';
    try {
      const created = { worktreePath: '/tmp', hostRepoPath: '/tmp', mounts: [], env: {} };
      await expect(docker().create(created)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/does not respond.*DOCKER_HOST/u) as unknown,
      });
    } finally {
      process.env['DOCKER_HOST'] = host;
    }
  });
});
