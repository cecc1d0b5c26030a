/** Declares suites that need a container engine. */
import { afterAll, beforeAll } from 'vitest';
import type { EngineName } from '../../packages/truecast/src/sandboxes/containers/container-engine.ts';
import { findProgram } from '../../packages/truecast/src/run/prepare/find-program.ts';
import { describeUnless } from '../needs.ts';
import { startTestDocker, startTestPodman, type TestEngine } from './test-engines.ts';

const STARTERS = { docker: startTestDocker, podman: startTestPodman };
/** Programs of each engine, and the packages of Debian that contain them. */
const PROGRAMS = { docker: ['docker', 'dockerd'], podman: ['podman', 'runc', 'catatonit'] };
const PACKAGES = { docker: 'docker.io', podman: 'podman runc catatonit' };
const START_TIMEOUT_MS = 120_000;

/** Declares a suite that runs on a real engine, started for it with the test image. */
export function describeWithEngine(
  engine: EngineName,
  title: string,
  declare: () => void | Promise<void>,
): void {
  describeUnless(missing[engine], title, () => {
    let started: TestEngine | undefined;
    beforeAll(async () => {
      started = await STARTERS[engine]();
    }, START_TIMEOUT_MS);
    afterAll(() => started?.stop(), START_TIMEOUT_MS);
    return declare();
  });
}

const missing = { docker: await whyMissing('docker'), podman: await whyMissing('podman') };

async function whyMissing(engine: EngineName): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return `${engine} is tested as root, in folders of its own`;
  const searchPath = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/libexec/podman`;
  const found = await Promise.all(PROGRAMS[engine].map((name) => findProgram(name, searchPath)));
  const absent = PROGRAMS[engine].filter((_name, index) => found[index] === undefined);
  return absent.length === 0
    ? undefined
    : `\`${absent.join('`, `')}\` not found. Install it: \`apt install ${PACKAGES[engine]}\``;
}
