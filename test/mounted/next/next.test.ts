/** The route of `docs/in-your-app.md` in Next: real clients, streams, and the end of the server. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { createChatServer } from '@truecast/server';
import { snippetsOf } from '../../docs/page-snippets.ts';
import { environmentOf, openStream, pearModel, USED, useMounted } from '../use-mounted.ts';
import { createNextApp, type RouteHandlers } from './next-app.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface Kept {
  chats?: ReturnType<typeof createChatServer>;
}

/** The page's program, as Next reads it after its types are stripped. */
async function loadRoute(folder: string): Promise<RouteHandlers> {
  const route = snippetsOf('docs/in-your-app.md').find(({ code }) =>
    code.includes('app/ai/[[...path]]/route.ts'),
  );
  const file = join(folder, 'route.mjs');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(file, stripTypeScriptTypes(route?.code ?? ''));
  return (await import(pathToFileURL(file).href)) as RouteHandlers;
}

it('answers clients through a route handler with whole paths', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-next-'));
  const before = { ...process.env };
  await using model = await pearModel();
  Object.assign(process.env, environmentOf(model));
  const app = createNextApp(await loadRoute(folder)).listen(0, '127.0.0.1');
  try {
    await once(app, 'listening');
    const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
    // The first request starts the server.
    expect((await fetch(`${url}/ai/healthz`)).status).toBe(200);
    const server = await (globalThis as Kept).chats;
    const { token = '' } = (await server?.createToken({ name: 'test' })) ?? {};
    const mounted = { baseURL: `${url}/ai`, token };
    expect(await useMounted(mounted)).toEqual(USED);
    const stream = await openStream(mounted);
    await server?.close();
    expect(await stream.ended).toContain(': ');
    expect((await fetch(`${url}/ai/healthz`)).status).toBe(503);
  } finally {
    app.closeAllConnections();
    app.close();
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    delete (globalThis as Kept).chats;
    rmSync(folder, { recursive: true, force: true });
  }
});
