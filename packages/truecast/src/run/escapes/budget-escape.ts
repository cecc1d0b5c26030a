/** Attempt to overspend: a hostile guest sends requests that cost more than its run's budget. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { LimitError } from '@truecast/core/internal/errors/limit-error';
import { command } from '../../agents/command.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import { run } from '../run.ts';
import { type EscapeResult, withEscapeBait, type EscapeBait } from './escape-bait.ts';

const TIMEOUT_MS = 60_000;
const BUDGET_TOKENS = 500;
/** Usage of each answer. The first one is over the budget. */
const USAGE = { input_tokens: 900, output_tokens: 100 };
/** Its small limit hides the cost of the document. */
const BODY =
  '{"max_tokens":1,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}}]}]}';
const NOT_SENT = 'no request reached the model, which needs curl in the sandbox';

/**
 * Sends twenty requests at once, each over the budget. Held if at most one reaches the model.
 *
 * @param sandbox - one whose agents can reach their model
 * @param tokens - the budget
 */
export async function tryOverspend(
  sandbox: SandboxProvider,
  tokens: number = BUDGET_TOKENS,
): Promise<EscapeResult> {
  const attempt = {
    id: 'overspend',
    title: 'send a second request over the budget',
    promise: 'budget',
  } as const;
  const requests = await withEscapeBait((bait) => countRequests(sandbox, tokens, bait));
  if (requests === 0) return { ...attempt, outcome: 'not-tried', reason: NOT_SENT };
  return { ...attempt, outcome: requests === 1 ? 'held' : 'escaped' };
}

async function countRequests(sandbox: SandboxProvider, tokens: number, bait: EscapeBait): Promise<number> {
  const model = await startModel();
  const ask = `curl -s -o /dev/null -X POST -H 'content-type: application/json' -d '${BODY}' "$MODEL_URL/v1/messages" &`;
  const line = `cat > /dev/null; ${ask.concat('\n').repeat(20)} wait; exit 0`;
  try {
    await run({
      agent: {
        ...command({ command: ['sh', '-c', line], name: 'hostile-guest' }),
        modelAccess: () => ({
          upstreamUrl: model.url,
          headers: {},
          environment: (url) => ({ MODEL_URL: url }),
          secretNames: [],
        }),
      },
      sandbox,
      cwd: bait.repository,
      prompt: '',
      branchStrategy: { type: 'branch', branch: 'guest' },
      budget: { tokens },
      timeouts: { runMs: TIMEOUT_MS },
      logging: { type: 'file', path: `${bait.folder}/guest.log` },
    }).catch((error: unknown) => {
      if (!LimitError.isInstance(error) || error.code !== 'tokens') throw error;
    });
    return model.requests();
  } finally {
    model.close();
  }
}

interface CountingModel {
  readonly url: string;
  requests(): number;
  close(): void;
}

async function startModel(): Promise<CountingModel> {
  let count = 0;
  const server = process
    .getBuiltinModule('node:http')
    .createServer((request, response) => {
      count += 1;
      request.resume();
      request.once('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ model: 'm', content: [], usage: USAGE }));
      });
    })
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => count,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
