/**
 * Fixtures of container tests: a new repository, a sandbox that is closed with the test, the
 * engine's command.
 */
import { execa } from 'execa';
import { afterEach, beforeEach } from 'vitest';
import { TEST_IMAGE } from './shared-image.ts';
import {
  createContractFixture,
  type ContractFixture,
} from '../../packages/testing/src/sandbox-contract-fixture.ts';
import { docker } from '../../packages/truecast/src/sandboxes/docker.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import type {
  SandboxCreateOptions,
  SandboxHandle,
} from '../../packages/truecast/src/ports/sandbox-provider.ts';
import type { EngineName } from '../../packages/truecast/src/sandboxes/containers/container-engine.ts';
import type { ContainerOptions } from '../../packages/truecast/src/sandboxes/containers/container-options.ts';

/** The tests' access to one engine. */
export interface ContainerTest {
  readonly engine: EngineName;
  /** New for each test. */
  readonly fixture: ContractFixture;
  /** Starts a sandbox after closing the previous one. The last one is closed with the test. */
  start(options?: ContainerOptions, created?: Partial<SandboxCreateOptions>): Promise<SandboxHandle>;
  /** Returns the output of the engine's command. */
  engineSays(...args: readonly string[]): Promise<string>;
  /** Names of our containers. */
  names(): Promise<string>;
}

/** Registers the setup and cleanup of each test. */
export function createContainerTest(engine: EngineName): ContainerTest {
  let fixture: ContractFixture | undefined;
  let handle: SandboxHandle | undefined;
  const current = (): ContractFixture => {
    if (fixture === undefined) throw new TypeError('no test is running');
    return fixture;
  };
  beforeEach(async () => {
    fixture = await createContractFixture();
  });
  afterEach(async () => {
    await handle?.close();
    handle = undefined;
    await fixture?.remove();
  });
  const engineSays = async (...args: readonly string[]): Promise<string> =>
    (await execa(engine, args)).stdout;
  return {
    engine,
    get fixture() {
      return current();
    },
    async start(options = {}, created = {}) {
      await handle?.close();
      const all = { imageName: TEST_IMAGE, ...options };
      const provider = engine === 'docker' ? docker(all) : podman(all);
      handle = await provider.create({ ...current().options, ...created });
      return handle;
    },
    engineSays,
    names: () => engineSays('ps', '--all', '--filter', 'label=truecast.worktree', '--format', '{{.Names}}'),
  };
}
