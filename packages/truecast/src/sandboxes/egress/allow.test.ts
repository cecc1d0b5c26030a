/**
 * End-to-end tests of `egress: { allow }` from inside a sandbox: allowed and rejected connections
 * of every command.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeInBubblewrap } from '../../../../../test/describe-in-bubblewrap.ts';
import {
  createContractFixture,
  type ContractFixture,
} from '../../../../testing/src/sandbox-contract-fixture.ts';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { bubblewrap } from '../bubblewrap.ts';
import type { SandboxCreateOptions, SandboxHandle } from '../../ports/sandbox-provider.ts';

// Generated at run time, because the checkout with this file can be visible inside.
const KEY = `sk-live-${randomUUID()}`;

let fixture: ContractFixture;
let handle: SandboxHandle;
let web: Server;
let seen: IncomingMessage[];

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

async function start(allow: readonly string[], changes: Partial<SandboxCreateOptions> = {}): Promise<void> {
  handle = await bubblewrap({ egress: { allow } }).create({ ...fixture.options, ...changes });
}

beforeEach(async () => {
  fixture = await createContractFixture();
  seen = [];
  web = createServer((request, response) => {
    seen.push(request);
    response.end(`web ${request.url}`);
  }).listen(0, '127.0.0.1');
  await once(web, 'listening');
});

afterEach(async () => {
  await handle.close();
  web.closeAllConnections();
  web.close();
  await fixture.remove();
});

describeInBubblewrap('egress: { allow }', () => {
  it('reaches a listed host from every command, by programs that know a proxy', async () => {
    await start([`127.0.0.1:${portOf(web)}`]);
    const url = `http://127.0.0.1:${portOf(web)}/listed`;
    const { stdout, stderr } = await handle.exec(
      `curl -sS --noproxy '' ${url}; echo; curl -sS --noproxy '' --proxytunnel ${url}; echo; NO_PROXY= no_proxy= node -e 'fetch("${url}").then((r) => r.text()).then(console.log)'`,
    );
    expect(stdout, stderr).toBe('web /listed\nweb /listed\nweb /listed\n');
  });

  it("has a listed port of the host's loopback at the same port, for programs that know none", async () => {
    const echo = createTcpServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    await start([`localhost:${portOf(echo)}`]);
    const { stdout } = await handle.exec(
      `node -e 'const s = require("net").connect(${portOf(echo)}, "127.0.0.1", () => s.write("raw")); s.on("data", (d) => { console.log(String(d)); s.end(); })'`,
    );
    echo.close();
    expect(stdout).toBe('raw\n');
  });

  it('refuses all other hosts with 403, reports each once, and has no other connection', async () => {
    await start(['api.example.com', `127.0.0.1:${portOf(web)}`]);
    const warnings: string[] = [];
    await handle.exec('curl -s https://early.test/');
    handle.observeEgress?.({ onWarning: (message) => warnings.push(message) });
    const { stdout } = await handle.exec(
      `curl -s -o /dev/null -w '%{http_code} ' http://EVIL.test:80/; curl -s http://evil.test/;
       curl -s -o /dev/null -w '%{http_connect} ' https://other.test/; node -p 'Object.keys(os.networkInterfaces()).join()'; cat /proc/net/route | wc -l;
       node -e 'require("net").connect(${portOf(web) - 1}, "127.0.0.1").on("error", (e) => console.log(e.code))'`,
    );
    expect(stdout).toMatch(
      /^403 \{"error":.*`evil.test:80` is not listed in `egress.allow`.*\n403 lo\n1\nECONNREFUSED\n$/,
    );
    expect(warnings).toEqual([
      'A connection of the sandbox was blocked: `early.test:443` is not listed in `egress.allow`.',
      'A connection of the sandbox was blocked: `evil.test:80` is not listed in `egress.allow`.',
      'A connection of the sandbox was blocked: `other.test:443` is not listed in `egress.allow`.',
    ]);
  });

  it('leaves the loopback inside to what runs inside', async () => {
    await start(['api.example.com']);
    const { stdout } = await handle.exec(
      `node -e 'require("http").createServer((q, r) => r.end("mine")).listen(9999, async function () { console.log(await (await fetch("http://localhost:9999")).text()); this.close(); process.exit() })'`,
    );
    expect(stdout).toBe('mine\n');
  });

  it('carries the model of an agent that can beside it, with the key outside', async () => {
    await start(['api.example.com'], {
      env: { MODEL_KEY: KEY, COPY: `x${KEY}`, HARMLESS: 'seen' },
      modelAccess: {
        upstreamUrl: `http://127.0.0.1:${portOf(web)}/base`,
        headers: { 'x-api-key': KEY },
        environment: (url) => ({ MODEL_URL: url, MODEL_KEY: 'placeholder' }),
        secretNames: ['MODEL_KEY'],
      },
    });
    // The pattern is passed on stdin. In a command line it would match itself.
    const search = `{ env; cat /proc/*/environ /proc/*/cmdline; find ~ /tmp /run /var/tmp /etc /dev/shm . -type f -exec cat {} + ; } 2>/dev/null > /var/tmp/found; grep -a -c -f - /var/tmp/found; grep -a -q HARMLESS=seen /var/tmp/found && echo looked`;
    const found = await handle.exec(`curl -sS $MODEL_URL/v1/models; echo; ${search}`, {
      isAgent: true,
      stdin: `${KEY.slice(3)}\n`,
    });
    expect(found.stdout, found.stderr).toBe('web /base/v1/models\n0\nlooked\n');
    expect(seen.map(({ headers }) => headers['x-api-key'])).toEqual([KEY]);
    const other = await handle.exec(`env; ls /run/truecast; curl -sS ${handle.modelBaseUrl}/v1`);
    expect(other.stdout).not.toContain(KEY.slice(3));
    expect(other.stdout).not.toContain('model.sock');
    expect(other.exitCode).toBe(7);
  });

  it('says so on the handle', async () => {
    await start([`127.0.0.1:8080`]);
    expect(handle).toMatchObject({ egress: { allow: ['127.0.0.1:8080'] } });
    expect(handle.modelBaseUrl).toBeUndefined();
  });

  it('is checked when it is asked for', () => {
    expect(() => bubblewrap({ egress: { allow: [] } })).toThrow(UsageError);
    // @ts-expect-error a policy has a known name
    expect(() => bubblewrap({ egress: 'nothing' })).toThrow("Expected `egress` to be 'none'");
  });
});
