/** MCP client pool: connects to servers by stdio or HTTP on first use, reconnects, and calls their tools. */
import type { Client, Tool, Transport } from '@modelcontextprotocol/client';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { ObservedStderr } from '../contract/observed-work.ts';
import { traceOf } from '@truecast/model/internal/telemetry/traceparent';
import { boundedValidator } from './bounded-validator.ts';
import { createMcpFetch } from './mcp-fetch.ts';
import { listMcpTools } from './list-mcp-tools.ts';
import { McpStderr, type McpStderrOptions } from './mcp-stderr.ts';
import { ReconnectBackoff } from './reconnect-backoff.ts';
import type { ServerTool, ToolContext, ToolOutcome } from './server-tool.ts';
import { toArguments, toOutcome } from './mcp-content.ts';

/** An MCP server: a program that is started, or an address. */
export type McpServerConfig = {
  /** Named in warnings. */
  readonly name: string;
  /** @default false */
  readonly trustsIdempotentHint?: boolean | undefined;
} & (
  | {
      readonly command: string;
      readonly args?: readonly string[];
      /** Added to a minimal environment. The server's own environment is not passed on. */
      readonly env?: Readonly<Record<string, string>>;
      /**
       * Owners who have its tools, each with a separate process and added variables. @default all
       */
      readonly owners?: Readonly<Record<string, { readonly env?: Readonly<Record<string, string>> }>>;
    }
  | {
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      /**
       * Owners who have its tools, each with a separate connection and added headers.
       * @default all
       */
      readonly owners?: Readonly<Record<string, { readonly headers?: Readonly<Record<string, string>> }>>;
    }
);

export interface McpServersOptions extends Pick<McpStderrOptions, 'mask'> {
  /** Called with lines that the servers write to stderr. */
  readonly onStderr?: (line: ObservedStderr) => void;
  /** Milliseconds of a monotonic clock. @default that of the process */
  readonly now?: () => number;
  /** Maximum time for a server to start and connect. @default 5_000 */
  readonly connectTimeoutMs?: number;
}

export interface McpServers {
  /**
   * Returns the current tools of an owner's chats, and the reason for each unreachable server.
   * Without an owner, returns the tools of every chat.
   */
  tools(
    owner?: string,
  ): Promise<{ readonly tools: readonly ServerTool[]; readonly problems: readonly string[] }>;
  close(): Promise<void>;
}

/** A server that hangs must not delay every turn. */
const CONNECT_TIMEOUT_MS = 5_000;
const CALL_TIMEOUT_MS = 300_000;
/** Progress notifications extend a call up to this limit. */
const LONGEST_CALL_MS = 3_600_000;

/**
 * Makes the servers' tools available. Nothing is started before `tools()` is called. An unreachable
 * server is retried after 5 seconds, later after 5 minutes, however many turns start.
 */
export function mcpServers(configs: readonly McpServerConfig[], options: McpServersOptions = {}): McpServers {
  const connected = configs
    .flatMap(connectionsOf)
    .map(({ owner, config }) => ({ owner, name: config.name, server: mcpServer(config, options) }));
  return {
    tools: async (caller) => {
      const usable = connected.filter(({ owner }) => owner === undefined || owner === caller);
      const listed = await Promise.allSettled(usable.map(async ({ server }) => server.tools()));
      return {
        tools: listed.flatMap((result) => (result.status === 'fulfilled' ? result.value.tools : [])),
        problems: usable.flatMap(({ name, server }, index) => {
          const named = `The MCP server \`${name}\``;
          const result = listed[index];
          if (result?.status === 'rejected') {
            return [`${named} has no tools now: ${messageOf(result.reason)}${server.lastLines()}`];
          }
          return (result?.value.problems ?? []).map((problem) => `${named} ${problem}.`);
        }),
      };
    },
    close: async () => {
      await Promise.allSettled(connected.map(async ({ server }) => server.close()));
    },
  };
}

interface ConnectionSettings {
  /** Undefined for every owner. */
  readonly owner: string | undefined;
  readonly config: McpServerConfig;
}

/** Returns one connection for all owners, or one for each owner in the configuration. */
function connectionsOf(config: McpServerConfig): readonly ConnectionSettings[] {
  if (config.owners === undefined) return [{ owner: undefined, config }];
  if ('url' in config) {
    return Object.entries(config.owners).map(([owner, { headers }]) => ({
      owner,
      config: { ...config, headers: { ...config.headers, ...headers } },
    }));
  }
  return Object.entries(config.owners).map(([owner, { env }]) => ({
    owner,
    config: { ...config, env: { ...config.env, ...env } },
  }));
}

interface OfferedTools {
  readonly tools: readonly ServerTool[];
  readonly problems: readonly string[];
}

interface McpServer {
  tools(): Promise<OfferedTools>;
  /** Returns the end of its stderr since its last start, for an error message. */
  lastLines(): string;
  close(): Promise<void>;
}

interface Connection {
  readonly client: Client;
  offered: OfferedTools | undefined;
}

function mcpServer(
  config: McpServerConfig,
  {
    mask,
    onStderr: onLine,
    now = () => performance.now(),
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
  }: McpServersOptions,
): McpServer {
  let connecting: Promise<Connection> | undefined;
  let stderr: McpStderr | undefined;
  const forget = (): void => {
    connecting = undefined;
  };
  const connected = async (): Promise<Connection> => {
    if (connecting === undefined) {
      stderr = new McpStderr({ server: config.name, mask, onLine, now });
      connecting = connect(config, { stderr, onClosed: forget, timeoutMs: connectTimeoutMs });
    }
    return connecting.catch((error: unknown) => {
      forget();
      throw error;
    });
  };
  const call: Call = async (...given) => callTool((await connected()).client, ...given);
  const offer = async (client: Client): Promise<OfferedTools> => {
    const { tools, problems } = await listMcpTools(client);
    return { tools: tools.map((tool) => toServerTool(tool, config, call)), problems };
  };
  const listed = new ReconnectBackoff(async () => {
    const connection = await connected();
    try {
      connection.offered ??= await offer(connection.client);
      return connection.offered;
    } catch (error) {
      // Otherwise, the SDK continues to read the answer of a server that sends one without an end.
      if ('url' in config) await connection.client.close();
      throw error;
    }
  }, now);
  return {
    tools: () => listed.run(),
    lastLines: () => {
      const tail = stderr?.tail() ?? '';
      return tail === '' ? '' : `\nThe end of its stderr:\n${tail}`;
    },
    close: async () => {
      const connection = await connecting?.catch(() => undefined);
      await connection?.client.close();
    },
  };
}

type Call = (tool: Tool, input: JsonValue, context: ToolContext) => Promise<ToolOutcome>;

async function callTool(
  client: Client,
  tool: Tool,
  input: JsonValue,
  { signal, ...context }: ToolContext,
): Promise<ToolOutcome> {
  return toOutcome(
    await client.callTool(
      {
        name: tool.name,
        arguments: toArguments(input),
        // One process serves all turns, so a trace cannot be in its environment.
        ...(context.traceparent !== undefined && { _meta: { ...traceOf(context) } }),
      },
      // The client validates results against the output schema of the given definition.
      {
        signal,
        timeout: CALL_TIMEOUT_MS,
        resetTimeoutOnProgress: true,
        maxTotalTimeout: LONGEST_CALL_MS,
        toolDefinition: tool,
      },
    ),
  );
}

interface ConnectOptions {
  readonly stderr: McpStderr;
  readonly onClosed: () => void;
  readonly timeoutMs: number;
}

async function connect(
  config: McpServerConfig,
  { stderr, onClosed, timeoutMs }: ConnectOptions,
): Promise<Connection> {
  // Imported here, because most processes connect to no MCP server.
  const { Client: McpClient } = await import('@modelcontextprotocol/client');
  const client = new McpClient({ name: 'truecast', version: '1' }, { jsonSchemaValidator: boundedValidator });
  const connection: Connection = { client, offered: undefined };
  Object.assign(client, { onclose: onClosed });
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    connection.offered = undefined;
  });
  await client.connect(await openTransport(config, stderr), { timeout: timeoutMs });
  return connection;
}

async function openTransport(config: McpServerConfig, stderr: McpStderr): Promise<Transport> {
  if ('url' in config) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const requestInit = { headers: { ...config.headers } };
    return new StreamableHTTPClientTransport(new URL(config.url), {
      requestInit,
      fetch: createMcpFetch(LONGEST_CALL_MS),
    });
  }
  const { StdioTransport } = await import('./stdio-transport.ts');
  const { command, args = [], env = {} } = config;
  return new StdioTransport({ command, args, env, stderr });
}

function toServerTool(
  tool: Tool,
  { name: server, trustsIdempotentHint = false }: McpServerConfig,
  call: Call,
): ServerTool {
  const { readOnlyHint = false, idempotentHint = false } = tool.annotations ?? {};
  return {
    definition: { name: tool.name, description: tool.description ?? '', inputSchema: tool.inputSchema },
    readOnlyHint,
    // A repeated read is harmless. With a wrong hint about a change, its effect would be repeated.
    idempotentHint: readOnlyHint || (idempotentHint && trustsIdempotentHint),
    server,
    run: async (input, context) => call(tool, input, context),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
