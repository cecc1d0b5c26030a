/** Tools of the test agent: the client of the run's server. A session or its first prompt starts it. */
import type { McpServer } from '@agentclientprotocol/sdk/unstable';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';

export interface AgentTools {
  /** Names that the agent has listed. Empty before the server has answered. */
  readonly names: readonly string[];
  /** Starts the servers, and lists their tools. A slow start takes a while before the server runs. */
  start(servers: readonly McpServer[], options?: { readonly isSlow: boolean }): Promise<void>;
  /** Returns the text of the result. */
  call(name: string, args: Record<string, unknown>): Promise<string>;
}

/** Longer than the time between an opened session and its prompt. */
const SLOW_START = 'sleep 0.5; exec "$0" "$@"';

export function createAgentTools(): AgentTools {
  let client: Client | undefined;
  let names: readonly string[] = [];
  return {
    get names() {
      return names;
    },
    async start(servers, { isSlow } = { isSlow: false }) {
      for (const server of servers) {
        if (!('command' in server)) continue;
        const { command, args } = isSlow
          ? { command: 'sh', args: ['-c', SLOW_START, server.command, ...server.args] }
          : server;
        client = await newClient();
        const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
        await client.connect(new StdioClientTransport({ command, args, stderr: 'inherit' }));
        names = (await client.listTools()).tools.map(({ name }) => name);
      }
    },
    async call(name, args) {
      const answered = await client?.callTool({ name, arguments: args });
      return JSON.stringify(answered?.content ?? null);
    },
  };
}

/** Only an agent that gets servers loads this file, because loading doubles the time of its start. */
async function newClient(): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  return new Client({ name: 'test-acp-agent', version: '1' });
}
