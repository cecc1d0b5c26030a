/** The packed client in an app that `next build` compiles: a page with the hook and the card, and an edge route. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unpackPackages } from '../../package/unpack-packages.ts';

const ROOT = join(import.meta.dirname, '../../..');
const NEXT = join(import.meta.dirname, 'node_modules/next/dist/bin/next');

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  // Each build begins without the files of another one.
  'next.config.js': `export default {
  turbopack: { root: ${JSON.stringify(ROOT)} },
  experimental: { turbopackFileSystemCacheForBuild: false },
};`,
  'app/layout.jsx': `
export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}`,
  // A client component of the app.
  'app/ask.jsx': `
'use client';
import { createClient, Output } from '@truecast/client';
import { AnswerCard, useAnswer } from '@truecast/client/react';

const client = createClient({ baseURL: '/ai', token: 'tc_x' });
export function Ask() {
  const answer = useAnswer({ client, output: Output.json() });
  return <AnswerCard answer={answer} />;
}`,
  // A server component: it imports the card itself, because the entry says that it is for the browser.
  'app/page.jsx': `
import { AnswerCard } from '@truecast/client/react';
import { Ask } from './ask.jsx';

const stored = { status: 'valid', output: { line: 42 }, attempts: [], receipt: {} };
export default function Page() {
  return <main><Ask /><AnswerCard answer={stored} label="Stored" /></main>;
}`,
  'app/models/route.js': `
import { createClient, Output } from '@truecast/client';
import { createChatTransport } from '@truecast/client/ai-sdk';

export const runtime = 'edge';
export async function GET(request) {
  const baseURL = new URL(request.url).searchParams.get('server');
  const fetch = () => Promise.resolve(Response.json({ models: [] }));
  const client = createClient({ baseURL, token: 'tc_x', fetch });
  const transport = createChatTransport(client, { output: Output.json() });
  return Response.json([await client.models(), typeof transport.sendMessages, typeof EdgeRuntime]);
}`,
};

let app: string;
beforeAll(async () => {
  // In this folder, so that the app finds Next, and each link stays in the one root that Turbopack reads.
  app = mkdtempSync(join(import.meta.dirname, '.app-'));
  await unpackPackages(app);
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(app, name)), { recursive: true });
    writeFileSync(join(app, name), text);
  }
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };

// A build takes 5 s of an idle machine, and minutes of a busy one.
it(
  'is built and served: the page has its card, and the edge route its client',
  { timeout: 1_200_000 },
  async () => {
    const built = await execa(process.execPath, [NEXT, 'build', app], { cwd: app, env, all: true });
    // Next says of each edge route that its runtime is deprecated, and that it is not static.
    const problems = built.all
      ?.split('\n')
      .filter((line) => /⚠|error/iu.test(line) && !/edge runtime/iu.test(line));
    expect(problems).toEqual([]);
    const served = execa(process.execPath, [NEXT, 'start', app, '--port', '0', '--hostname', '127.0.0.1'], {
      cwd: app,
      env,
      reject: false,
    });
    try {
      const url = await addressOf(served.stdout);
      const page = await (await fetch(url)).text();
      expect(page).toMatch(/aria-label="Answer" data-state="empty"/u);
      expect(page).toMatch(/aria-label="Stored" data-state="valid".*Sealed.*42/u);
      const route = await (await fetch(`${url}/models?server=http://127.0.0.1:9`)).text();
      expect(route).toBe('[[],"function","string"]');
    } finally {
      served.kill('SIGKILL');
      await served;
    }
  },
);

/** The address that Next prints, from the time on when it says that it is ready. */
async function addressOf(stdout: Readable): Promise<string> {
  let printed = '';
  for await (const line of createInterface({ input: stdout })) {
    printed += `${line}\n`;
    const [url] = /http:\/\/127\.0\.0\.1:\d+/u.exec(printed) ?? [];
    if (url !== undefined && line.includes('Ready')) return url;
  }
  throw new Error(`Next ended before it was ready. It printed: ${printed}`);
}
