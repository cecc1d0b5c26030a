/** `truecast runs logs`, `patch` and `artifact` against a server that the test plays. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { artifactCommand, logsCommand, patchOfRunCommand } from './artifact-commands.ts';

/** Not UTF-8, and with a sequence that a terminal executes. */
const PATCH = Buffer.from('+caf\u00E9\u001B[2J\n', 'latin1');
const ARTIFACTS = [
  { name: 'changes.patch', media_type: 'text/x-diff', size: PATCH.length },
  { name: 'log', media_type: 'text/plain', size: 4, omitted_bytes: 9 },
];
const MISSING = { type: 'about:blank', title: 'T', status: 404, code: 'not_found', detail: 'No artifact.' };
const ANSWERS: Readonly<Record<string, string | Buffer>> = {
  '': JSON.stringify({ artifacts: ARTIFACTS }),
  '/log': 'Hi.\n',
  '/changes.patch': PATCH,
};

let server: Server;
let url = '';
beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = ANSWERS[request.url?.split('/artifacts')[1] ?? ''];
    response.writeHead(answer === undefined ? 404 : 200).end(answer ?? JSON.stringify(MISSING));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

type Flags = Parameters<typeof logsCommand>[1];
type Streams = Parameters<typeof logsCommand>[2];

async function printed(work: (terminal: Streams, flags: Flags) => Promise<void>, isTTY = false) {
  const terminal = { stdout: Object.assign(new PassThrough(), { isTTY }), stderr: new PassThrough() };
  const error: unknown = await work(terminal, { url, token: 't' }).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  const read = (stream: PassThrough): Buffer => (stream.read() as Buffer | null) ?? Buffer.alloc(0);
  return { stdout: read(terminal.stdout), stderr: read(terminal.stderr).toString(), error };
}

it('prints the bytes of an artifact to a pipe, and no control characters to a terminal', async () => {
  const patch = await printed((terminal, flags) => patchOfRunCommand('r1', flags, terminal));
  expect(patch.stdout.equals(PATCH)).toBe(true);
  const shown = await printed((terminal, flags) => patchOfRunCommand('r1', flags, terminal), true);
  expect(shown.stdout.includes('+caf')).toBe(true);
  expect(shown.stdout.includes('\u001B')).toBe(false);
  const log = await printed((terminal, flags) => logsCommand('r1', flags, terminal));
  expect([log.stdout.toString(), log.stderr, log.error]).toEqual(['Hi.\n', '', undefined]);
});

it('lists the artifacts, and names them for one that is missing', async () => {
  const list = await printed((terminal, flags) => artifactCommand('r1', undefined, flags, terminal));
  expect(list.stdout.toString()).toBe(
    'name           bytes  left out\nchanges.patch     10         0\nlog                4         9\n',
  );
  const json = await printed((terminal, flags) =>
    artifactCommand('r1', undefined, { ...flags, json: true }, terminal),
  );
  expect(JSON.parse(json.stdout.toString())).toEqual({ artifacts: ARTIFACTS });
  const missing = await printed((terminal, flags) =>
    patchOfRunCommand('r1', { ...flags, uncommitted: true }, terminal),
  );
  expect(missing.error).toMatchObject({ code: 'refused', statusCode: 404 });
  expect(missing.stdout.toString()).toBe('');
  expect(missing.stderr).toContain('The run has changes.patch, log.');
});
