/**
 * Engines of the container suites: isolated settings, storage and daemon, and images of this
 * machine's programs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { sharedImageTar, sharedPodmanStore, TEST_IMAGE } from './shared-image.ts';

/** An engine with the test image, for one test file. */
export interface TestEngine {
  /** Stops the engine and removes the folder. */
  stop(): Promise<void>;
}

/**
 * Limits that a container can have if this user cannot raise its own, as on a machine without
 * CAP_SYS_RESOURCE.
 */
const MAX_FILES = 20_000;

/**
 * Points `podman` at isolated settings and storage through this process's environment. The image is in a
 * second store, which it only reads.
 */
export async function startTestPodman(): Promise<TestEngine> {
  const folder = await makeFolder('podman');
  const settings = [
    '[containers]',
    `default_ulimits = ["nofile=${MAX_FILES}:${MAX_FILES}","nproc=${MAX_FILES}:${MAX_FILES}"]`,
    '[engine]',
    'runtime = "runc"',
    'cgroup_manager = "cgroupfs"',
    'events_logger = "file"',
  ];
  const storage = [
    '[storage]',
    'driver = "overlay"',
    `runroot = "${folder}/run"`,
    `graphroot = "${folder}/root"`,
    '[storage.options]',
    `additionalimagestores = ["${await sharedPodmanStore()}"]`,
  ];
  await writeFile(join(folder, 'containers.conf'), settings.join('\n'));
  await writeFile(join(folder, 'storage.conf'), storage.join('\n'));
  const restore = setEnvironment({
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  });
  return {
    async stop() {
      await execa('podman', ['rm', '--all', '--force', '--time', '0']);
      // Mounts over its storage would prevent the folder's removal.
      await execa('umount', ['-l', join(folder, 'root', 'overlay')], { reject: false });
      restore();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/**
 * Starts a `dockerd` on a separate socket, points `docker` at it through this process's
 * environment, and imports the image.
 */
export async function startTestDocker(): Promise<TestEngine> {
  const folder = await makeFolder('docker');
  const socket = join(folder, 'docker.sock');
  const flags = ['--bridge=none', '--iptables=false', '--ip-forward=false', '--ip-masq=false'];
  const places = [
    '--data-root',
    join(folder, 'data'),
    '--exec-root',
    join(folder, 'exec'),
    '--pidfile',
    join(folder, 'pid'),
  ];
  const limits = ['--default-ulimit', `nofile=${MAX_FILES}:${MAX_FILES}`];
  const daemon = spawn('dockerd', [...flags, ...places, ...limits, '-H', `unix://${socket}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let said = '';
  daemon.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-10_000);
  });
  const restore = setEnvironment({ DOCKER_HOST: `unix://${socket}` });
  const stop = async (): Promise<void> => {
    restore();
    daemon.kill('SIGTERM');
    if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, 'exit');
    // It leaves the host's network mounted if a container used it.
    await execa('umount', [join(folder, 'exec', 'netns', 'default')], { reject: false });
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    for (let tries = 0; !existsSync(socket); tries += 1) {
      if (daemon.exitCode !== null || tries > 600) throw new TypeError(`dockerd did not start: ${said}`);
      await delay(100);
    }
    await execa('docker', ['import', await sharedImageTar(), TEST_IMAGE]);
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Not under /tmp of another user's choosing: an engine's socket path must be short. */
async function makeFolder(name: string): Promise<string> {
  await mkdir('/tmp', { recursive: true });
  return mkdtemp(`/tmp/truecast-${name}-`);
}

function setEnvironment(values: Readonly<Record<string, string>>): () => void {
  const saved = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  return () => {
    for (const [name, value] of saved) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
