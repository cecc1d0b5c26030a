/** `compose.yaml` and the systemd unit: their commands start what they say, with secrets from files. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { describeUnless, missing } from '../needs.ts';
import { temporaryFolder, truecast } from './cli-fixture.ts';
import { startBeside } from './serve-fixture.ts';

const CONTAINERS = join(import.meta.dirname, '../../containers');
const textOf = (name: string): string => readFileSync(join(CONTAINERS, name), 'utf8');
const TOKEN = `tc_${'b'.repeat(43)}`;

const serviceSchema = z.object({
  image: z.string(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()),
  secrets: z.array(z.string()),
  volumes: z.array(z.string()),
  healthcheck: z.object({ test: z.array(z.string()) }),
});
const COMPOSE = z
  .object({
    services: z.record(z.string(), serviceSchema),
    volumes: z.record(z.string(), z.null()),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
  })
  .parse(parse(textOf('compose.yaml'), { merge: true }));

it('has secrets as files only, each of them declared', () => {
  for (const [name, { environment, secrets, volumes }] of Object.entries(COMPOSE.services)) {
    expect(
      secrets.filter((each) => COMPOSE.secrets[each] === undefined),
      name,
    ).toEqual([]);
    for (const [variable, value] of Object.entries(environment)) {
      if (/KEY|PASSWORD|TOKEN/u.test(variable)) {
        expect(`${variable}=${value}`).toMatch(/_FILE=\/run\/secrets\//u);
      }
      const secret = /^\/run\/secrets\/(.+)$/u.exec(value)?.[1];
      if (secret !== undefined) expect(secrets).toContain(secret);
    }
    const named = volumes.map((each) => each.split(':')[0] ?? '');
    expect(named.filter((each) => !Object.hasOwn(COMPOSE.volumes, each))).toEqual([]);
  }
  expect(COMPOSE.services['postgres']?.image).toBe('postgres:15');
});

it.each(['serve', 'worker'])(
  'has flags of `truecast %s`, and asks its health at the port that it serves',
  async (name) => {
    const { command = [], healthcheck } = COMPOSE.services[name] ?? {};
    const flags = command.filter((word) => word.startsWith('--'));
    const { stdout } = await truecast(temporaryFolder(), name, '--help');
    for (const flag of flags) expect(stdout).toContain(`${flag} `);
    const port = command[command.indexOf('--metrics-port') + 1];
    expect(healthcheck?.test.at(-1)).toBe(name === 'worker' ? port : '4747');
    expect(textOf('Containerfile')).toContain('COPY app /app');
    expect(existsSync(join(CONTAINERS, 'health.mjs'))).toBe(true);
  },
);

it('has a unit whose command serves with the token of a credential', async () => {
  const unit = textOf('truecast.service');
  const valuesOf = (key: string): readonly string[] =>
    [...unit.matchAll(new RegExp(`^${key}=(.+)$`, 'gmu'))].map((match) => match[1] ?? '');
  const folder = temporaryFolder();
  const credentials = join(folder, 'credentials');
  mkdirSync(credentials);
  for (const each of valuesOf('LoadCredential')) {
    const [name = ''] = each.split(':');
    writeFileSync(join(credentials, name), name === 'token' ? `${TOKEN}\n` : 'sk-secret-of-a-file\n');
  }
  const words = (valuesOf('ExecStart')[0] ?? '').split(' ').slice(2);
  const env = Object.fromEntries(
    valuesOf('Environment')
      .flatMap((each) => each.split(' '))
      .map((pair) => pair.replace('%d', credentials).split('=') as [string, string]),
  );
  const changed = words
    .map((word) => word.replace('/var/lib/truecast', folder))
    .map((word) => (word === '4747' ? '0' : word));
  await using server = startBeside(folder, [...changed, '--model', 'anthropic:claude-sonnet-5-5'], {
    ...env,
    HOME: folder,
  });
  const [, url = ''] = await server.until(/Serving at (\S+)/u);
  const headers = { authorization: `Bearer ${TOKEN}` };
  expect((await fetch(`${url}/api/chats`, { headers })).status).toBe(200);
  expect((await fetch(`${url}/api/chats`)).status).toBe(401);
  expect(await server.end('SIGTERM')).toBe(0);
});

describeUnless(missing('systemd-analyze'), 'the unit', () => {
  it('is accepted by systemd', async () => {
    const { all } = await execa(
      'systemd-analyze',
      ['verify', '--man=no', join(CONTAINERS, 'truecast.service')],
      {
        all: true,
        reject: false,
      },
    );
    const lines = all
      .split('\n')
      .filter((line) => line.includes('truecast.service') && !/not executable|Unit .* not found/u.test(line));
    expect(lines).toEqual([]);
  });
});
