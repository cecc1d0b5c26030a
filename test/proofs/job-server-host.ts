/**
 * Server of a proof that accepts and executes agent runs. Its arguments are the database's address, the path of
 * the repository, and the port. The first `claude` of its PATH is the agent.
 */
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { forgetQuickFork } from '../runner/quick-fork.ts';

const [databaseUrl = '', repository = '', port = '0'] = process.argv.slice(2);
const MANY = 1_000_000;
forgetQuickFork();

const server = await createChatServer({
  databaseUrl,
  port: Number(port),
  environment: { TRUECAST_MODEL: 'scripted:demo' },
  limits: { requestsPerMinute: MANY, concurrentRequests: MANY, openStreams: MANY },
  repositories: { web: { path: repository } },
  // More places than the limit of the repository, so that claims are refused.
  runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none', places: 3, perRepository: 4 },
});
writeSync(1, `${server.url}\n`);
flushCompileCache();
