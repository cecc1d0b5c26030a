import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { probeEngine } from './probe-engine.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'truecast-probe-'));
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Makes an engine that notes its calls, and answers to each. */
function makeEngine(answers: string): void {
  const script = `#!/bin/sh\necho "$1" >> ${folder}/calls\ncase $1 in ${answers} esac\n`;
  writeFileSync(join(folder, 'podman'), script, { mode: 0o755 });
}

it('asks for the version, the image and a container, and not for all facts about the engine', async () => {
  makeEngine("version) echo 4.3.1;; image) echo '{}';;");
  expect(await probeEngine('podman', 'x')).toEqual({ works: true, version: '4.3.1' });
  expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe('version\nimage\nrun\n');
});

it('has the message of an engine that does not answer', async () => {
  makeEngine('version) echo broken storage >&2; exit 3;;');
  expect(await probeEngine('podman', 'x')).toEqual({
    works: false,
    reason: '`podman version` failed: broken storage.',
  });
});
