/**
 * Charging model: a model service that charges each request it accepts, and agents that send it
 * requests.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';

const INPUT_TOKENS = 40;
const OUTPUT_TOKENS = 960;
const DEFAULT_BODY = JSON.stringify({ max_tokens: OUTPUT_TOKENS, messages: [] });
/** Tokens of one request. */
export const CHARGE: number = INPUT_TOKENS + OUTPUT_TOKENS;
/** Maximum that a budget reserves for one request here. */
export const ONE_REQUEST = 1_200;

/** Requests of a program. */
export interface Asking {
  readonly count: number;
  readonly parallel: number;
  readonly isCut: boolean;
  /** JSON of each request. @default a request whose limit is the usage of its answer */
  readonly body?: string;
}

/** A running service. */
export interface ChargingModel {
  /** Every request that it accepted, whatever happened to its answer. */
  charged: number;
  mostUnderWay: number;
  /**
   * A program that sends `count` requests, in groups of `parallel`, and exits with 0 whatever the
   * model answers.
   */
  asking(options: Asking): AgentProvider;
  /** An agent that runs a program in Node with `MODEL_URL`. */
  agent(program: string): AgentProvider;
  close(): void;
}

/** Starts the service on 127.0.0.1. */
export async function startChargingModel(): Promise<ChargingModel> {
  let underWay = 0;
  const server = createServer((request, response) => {
    void (async () => {
      for await (const _ of request);
      model.charged += CHARGE;
      underWay += 1;
      model.mostUnderWay = Math.max(model.mostUnderWay, underWay);
      response.once('close', () => (underWay -= 1));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const start = { message: { model: 'm', usage: { input_tokens: INPUT_TOKENS, output_tokens: 1 } } };
      response.write(`data: ${JSON.stringify(start)}\n\n`);
      response.write('data: {"delta":{"text":"word"}}\n\n');
      const usage = { output_tokens: OUTPUT_TOKENS };
      setTimeout(() => response.end(`data: ${JSON.stringify({ usage })}\n\n`), 20);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstreamUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agent = (program: string): AgentProvider => ({
    ...command({ command: ['node', '-e', program] }),
    modelAccess: () => ({
      upstreamUrl,
      headers: { 'x-api-key': 'sk-outside-only' },
      environment: (url) => ({ MODEL_URL: url }),
      secretNames: [],
    }),
  });
  const model: ChargingModel = {
    charged: 0,
    mostUnderWay: 0,
    agent,
    asking: (options) => agent(programOf(options)),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return model;
}

/** With `node:http`: a start with `fetch` takes twice the processor time. */
function programOf({ count, parallel, isCut, body = DEFAULT_BODY }: Asking): string {
  return `
    const http = require('node:http');
    const body = ${JSON.stringify(body)};
    const url = process.env.MODEL_URL + '/v1/messages';
    const ask = () => new Promise((resolve) => {
      const asked = http.request(url, { method: 'POST', agent: false }, (response) => {
        if (${isCut} && response.statusCode === 200) response.once('data', () => asked.destroy());
        else response.resume();
      });
      asked.on('error', resolve).on('close', resolve).end(body);
    });
    (async () => {
      for (let sent = 0; sent < ${count}; sent += ${parallel})
        await Promise.all(Array.from({ length: ${parallel} }, ask));
      process.exit(0);
    })();`;
}
