/** Tests of container start options that can fail: network, image, engine. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect } from 'vitest';
import type { DeclareTest } from '../matrix.ts';
import { writeHostImage } from './host-image.ts';
import type { ContainerTest } from './container-test.ts';

/** Declares the tests of a container's network access. */
export function declareNetwork(test: ContainerTest, declare: DeclareTest): void {
  let server: Server;
  let port: number;
  const ask = (url: string): string =>
    `node -e 'fetch("${url}").then(async (r) => console.log(r.status, await r.text()), (e) => console.log(e.cause.code))'`;

  beforeEach(async () => {
    server = createServer((request, response) =>
      response.end(`${request.url} ${String(request.headers['x-api-key'])}`),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterEach(() => server.close());

  declare('is the one that is named, and is taken away by egress "none"', async () => {
    const url = `http://127.0.0.1:${port}/x`;
    const { exec, egress } = await test.start({ network: 'host', egress: 'host' });
    expect(egress).toBe('host');
    expect((await exec(ask(url))).stdout).toBe('200 /x undefined\n');
    const { exec: execAlone } = await test.start({ egress: 'none' });
    expect((await execAlone(ask(url))).stdout).toBe('ECONNREFUSED\n');
    expect((await execAlone('cat /proc/net/dev | grep -c :')).stdout).toBe('1\n');
  });

  declare('reaches the model alone by egress "model", and its key is never inside', async () => {
    const key = `sk-live-${randomUUID()}`;
    const modelAccess = {
      upstreamUrl: `http://127.0.0.1:${port}/base`,
      headers: { 'x-api-key': key },
      environment: (url: string) => ({ MODEL_URL: url }),
      secretNames: ['MODEL_KEY'],
    };
    const { exec, modelBaseUrl } = await test.start(
      { egress: 'model' },
      { modelAccess, env: { MODEL_KEY: key, COPY: key } },
    );
    const asked = await exec(
      `${ask(`${modelBaseUrl}/v1/models`)}; echo "$MODEL_URL"; ${ask(`http://127.0.0.1:${port}/`)}`,
      { isAgent: true },
    );
    expect(asked.stdout).toBe(
      `200 /base/v1/models ${'*'.repeat(key.length)}\n${modelBaseUrl}\nECONNREFUSED\n`,
    );
    const search =
      'env; cat /proc/*/environ /proc/*/cmdline; find ~ /tmp /run . -type f -exec cat {} + 2>/dev/null';
    expect((await exec(search)).stdout).not.toContain(key);
    const together = await Promise.all(
      [1, 2].map(() => exec(ask(`${modelBaseUrl}/v1/models/again`), { isAgent: true })),
    );
    expect(together.map(({ stdout }) => stdout.slice(0, 3))).toEqual(['200', '200']);
  });

  declare('reaches listed hosts alone by egress { allow }', async () => {
    const { exec } = await test.start({ egress: { allow: [`localhost:${port}`] } });
    expect((await exec(ask(`http://localhost:${port}/x`))).stdout).toBe('200 /x undefined\n');
    expect((await exec(ask('http://127.0.0.1:9/'))).stdout).not.toContain('200');
  });
}

/** Declares the tests of starts that fail. */
export function declareRefusals(test: ContainerTest, declare: DeclareTest): void {
  declare('says how to build a missing image', async () => {
    await expect(test.start({ imageName: 'truecast:missing' })).rejects.toMatchObject({
      code: 'image',
      message: expect.stringContaining(
        `truecast ${test.engine} build-image --image-name truecast:missing`,
      ) as unknown,
    });
  });

  declare('says that the image was built for another user', async () => {
    await importEmpty(test);
    await expect(test.start({ imageName: OTHER_USER, containerUid: 1234 })).rejects.toMatchObject({
      code: 'image',
      message: expect.stringMatching(/user id 4321.*containerUid: 4321/u) as unknown,
    });
  });

  declare('says that an image needs a shell, and leaves nothing behind', async () => {
    await importEmpty(test);
    const list = await test.fixture.useOwnTemporaryFolder();
    await expect(test.start({ imageName: OTHER_USER })).rejects.toMatchObject({
      code: 'start',
      message: expect.stringContaining('/bin/sh') as unknown,
    });
    expect(await list()).toEqual([]);
    expect(await test.names()).toBe('');
  });

  declare('says that an egress through the host needs node in the image', async () => {
    const archive = join(test.fixture.folder, 'image.tar');
    await writeHostImage(archive, { hasNode: false });
    await test.engineSays('import', archive, 'localhost/without-node:1');
    const egress = { allow: ['example.invalid'] };
    await expect(test.start({ imageName: 'localhost/without-node:1', egress })).rejects.toMatchObject({
      code: 'start',
      message: expect.stringContaining('needs `node` 22.18') as unknown,
    });
  });

  declare('says that the engine is not installed', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = test.fixture.folder;
    try {
      await expect(test.start()).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('Install') as unknown,
      });
    } finally {
      process.env['PATH'] = path;
    }
  });

  declare('ends with the reason of an abort', async () => {
    const controller = new AbortController();
    const reason = new RangeError('enough');
    const starting = test.start({}, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 100);
    await expect(starting).rejects.toBe(reason);
    await expect.poll(test.names, { timeout: 20_000 }).toBe('');
  });
}

/** Image of another user, without a file. */
const OTHER_USER = 'localhost/other-user:1';

async function importEmpty(test: ContainerTest): Promise<void> {
  const archive = join(test.fixture.folder, 'empty.tar');
  await execa('tar', ['-cf', archive, '-T', '/dev/null']);
  await test.engineSays('import', '--change', 'USER 4321', archive, OTHER_USER);
}
