/** A model service that answers with the header that it got: where a command shows or stores it. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeRepository } from './cli-fixture.ts';
import { COMPARE, SMALL, writeFolder } from './ensemble-fixture.ts';
import { runCommand } from './run-command.ts';

/** No shape of a known token. */
const KEY = 'planted/key+value=0123456789';

let requests = 0;
const service = createServer((request, response) => {
  request.resume().on('end', () => {
    requests += 1;
    // Long enough for a cut in the middle of the key.
    const message = `bad key ${'x'.repeat(50)} ${request.headers.authorization}`;
    response.writeHead(500, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(JSON.stringify({ error: { message } }));
  });
});
let address = '';
beforeAll(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const bound = service.address();
  address = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/v1`;
});
afterAll(() => {
  service.close().closeAllConnections();
});

/** The contents of all files below a folder. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'));
}

it.each([
  ['ensemble run', ['ensemble', 'run', 'duel', '--turns', '1']],
  ['ensemble run --json', ['ensemble', 'run', 'duel', '--turns', '1', '--json']],
  ['ensemble eval', ['ensemble', 'eval', 'duel', '--runs', '1']],
  ['compare', [...COMPARE, '--model', 'ADDRESS#m', '--out', 'result', '--json']],
  ['doctor --model', ['doctor', '--model', 'ADDRESS']],
])('%s neither prints nor stores the key', async (_, args) => {
  const folder = makeRepository();
  writeFolder(folder, SMALL);
  writeFileSync(join(folder, 'items.jsonl'), '{"N":4}\n');
  const state = join(folder, '..', 'state');
  const isDirect = args.some((arg) => arg.includes('ADDRESS'));
  const env = {
    HOME: folder,
    XDG_STATE_HOME: state,
    TRUECAST_API_KEY: KEY,
    ...(!isDirect && { TRUECAST_BASE_URL: address, TRUECAST_MODEL: 'm' }),
  };
  requests = 0;
  const words = args.map((arg) => arg.replace('ADDRESS', address));
  const { stdout, stderr } = await runCommand(words, { cwd: folder, env });
  expect(requests).toBeGreaterThan(0);
  const written = filesBelow(join(folder, '..'));
  expect(written.length).toBeGreaterThan(5);
  for (const text of [stdout, stderr, ...written]) {
    for (const part of ['planted', 'key+value', '0123456789']) expect(text).not.toContain(part);
  }
  expect(stdout + stderr + written.join('')).toContain('bad key');
});
