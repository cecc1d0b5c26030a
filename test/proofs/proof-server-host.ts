/**
 * Server of a proof: a whole server with one tool whose effects can be counted. Its arguments are the
 * database's address, the model's address, the file of effects, and `limited` for the default limits.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { tool } from '../../packages/server/src/tools/own-tool.ts';

const [databaseUrl = '', modelUrl = '', effects = '', limits] = process.argv.slice(2);
const MANY = 1_000_000;
const TOOL_MS = 20;

const server = await createChatServer({
  databaseUrl,
  port: 0,
  environment: { TRUECAST_BASE_URL: modelUrl, TRUECAST_MODEL: 'scripted' },
  limits:
    limits === 'limited' ? {} : { requestsPerMinute: MANY, concurrentRequests: MANY, openStreams: MANY },
  tools: {
    note: tool({
      description: 'Leaves a line.',
      inputSchema: z.object({ n: z.number() }),
      execute: async ({ n }) => {
        appendFileSync(effects, `${n}\n`);
        // A kill between an effect and its commit leaves a call whose effect is unknown.
        await sleep(TOOL_MS);
        return 'done';
      },
    }),
  },
});
writeSync(1, `${server.url}\n`);
process.on('message', (asked) => {
  const { user, system } = process.cpuUsage();
  process.send?.(asked === 'memory' ? process.memoryUsage().rss : (user + system) / 1_000);
});
flushCompileCache();
