/** Bubblewrap on a runner, with a scripted `sudo`: changes of the machine, and their absence. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProbeResult } from 'truecast/internal/sandboxes/probe';
import { enableBubblewrap, type EnableOptions } from './enable-bubblewrap.ts';

const NO: ProbeResult = { works: false, reason: 'AppArmor blocks its user namespaces.' };
const YES: ProbeResult = { works: true };
const JOB = { GITHUB_ACTIONS: 'true' };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'truecast-sudo-'));
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A program of this name, before the machine's on the PATH. */
function program(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

function sudo(exitCode = 0): () => string {
  const calls = join(folder, 'calls');
  program('sudo', `printf "%s\\n" "$*" >> ${calls}; [ "$2" = tee ] && cat >> ${calls}; exit ${exitCode}`);
  return () => (existsSync(calls) ? readFileSync(calls, 'utf8') : '');
}

async function enable(
  probes: readonly ProbeResult[],
  options: Partial<EnableOptions> = {},
): Promise<{ readonly said: string; readonly left: number }> {
  const said: string[] = [];
  const left = [...probes];
  const probe = (): Promise<ProbeResult> => Promise.resolve(left.shift() ?? NO);
  await enableBubblewrap({
    env: JOB,
    sandbox: undefined,
    probe,
    tell: (line) => said.push(line),
    ...options,
  });
  return { said: said.join('\n'), left: left.length };
}

describe.runIf(process.platform === 'linux')('bubblewrap', () => {
  it('gets a profile if AppArmor refuses it and sudo asks for no password', async () => {
    program('bwrap', 'exit 1');
    const calls = sudo();
    const { said } = await enable([NO, NO, YES]);
    expect(calls()).toContain('-n tee /etc/apparmor.d/truecast-bwrap\n');
    expect(calls()).toContain(`profile truecast-bwrap ${folder}/bwrap flags=(unconfined) {\n  userns,\n}`);
    expect(calls()).toContain('-n apparmor_parser --replace /etc/apparmor.d/truecast-bwrap\n');
    expect(calls()).not.toContain('apt-get');
    expect(said).toBe(
      `AppArmor refused user namespaces to ${folder}/bwrap: allowed them with the profile /etc/apparmor.d/truecast-bwrap.`,
    );
  });

  it('is installed if it is missing, and left as it is if it works then', async () => {
    vi.stubEnv('PATH', folder);
    const calls = sudo();
    const { said } = await enable([NO, YES]);
    expect(calls()).toContain('-n apt-get install --yes -qq --no-install-recommends bubblewrap\n');
    expect(calls()).not.toContain('apparmor');
    expect(said).toContain('installed it');
  });

  it('is replaced, with the reason, if sudo needs a password or the profile does not help', async () => {
    program('bwrap', 'exit 1');
    sudo(1);
    expect((await enable([NO])).said).toContain(
      'sudo needs a password. Another sandbox is tried: docker, podman.',
    );
    sudo();
    expect((await enable([NO, NO, NO])).said).toContain(
      'AppArmor blocks its user namespaces. Another sandbox',
    );
  });

  it.each<Partial<EnableOptions>>([{ env: {} }, { sandbox: 'docker' }, { sandbox: 'none' }])(
    'is not touched with %j',
    async (options) => {
      const calls = sudo();
      expect(await enable([NO], options)).toEqual({ said: '', left: 1 });
      expect(calls()).toBe('');
    },
  );

  it('is not touched if it works', async () => {
    const calls = sudo();
    expect((await enable([YES])).said).toBe('');
    expect(calls()).toBe('');
  });
});
