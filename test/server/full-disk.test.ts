/** A disk that is nearly full: `/readyz` is red before ordinary messages are refused. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';

const HOST = await bundledHost(new URL('full-disk-host.ts', import.meta.url));
const DISK_BYTES = 24 * 1024 * 1024;

describeInBubblewrap('a server on a small disk', () => {
  it('says at /readyz when messages of 200 KB would be refused, and recovers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'truecast-disk-'));
    const mount = ['--dev-bind', '/', '/', '--size', String(DISK_BYTES), '--tmpfs', folder];
    const { stdout } = await execa('bwrap', [...mount, '--', process.execPath, HOST, folder]);
    await rm(folder, { recursive: true, force: true });
    const seen: unknown = JSON.parse(stdout);
    expect(seen).toEqual({
      before: [200, 201],
      full: [
        [503, expect.any(Number)],
        [503, expect.any(Number)],
        [503, 503],
      ],
      after: [200, 201],
    });
  });
});
