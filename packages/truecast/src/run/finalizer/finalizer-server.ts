/**
 * Finalizer server on the host: an MCP server on a socket file. One tool accepts the answer of the
 * current turn, the others are functions of the caller's program.
 *
 * agent → stdio → bridge (inside) → socket file → this server (host) → finalizer → the caller's
 * schema and check, or host tools → the caller's function
 */
import { randomBytes } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Server, type CallToolResult } from '@modelcontextprotocol/server';
import type { Finalizer } from '@truecast/core/internal/output/finalizer/finalizer';
import { FINALIZER_NAME, type FinalizerTool } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { HostTools, ListedTool } from './host-tools.ts';
import { startListingWatch, type ListingWatch } from './listing-watch.ts';
import { createSocketTransport, type HeldText } from './socket-transport.ts';

export interface FinalizerServerOptions {
  /** Host folder for the socket. */
  readonly folder: string;
  /** Undefined if the run's answer does not come by a call. */
  readonly tool: FinalizerTool | undefined;
  /** Undefined if the run has no tools. */
  readonly hostTools?: HostTools | undefined;
  /** Maximum message length in UTF-16 units. */
  readonly maxLineChars: number;
}

export interface FinalizerServer {
  readonly socketName: string;
  /** Name of the socket that reports whether an agent has started the server and listed the tools. */
  readonly watchName: string;
  /** True after an agent has listed the tools. */
  readonly wasAsked: boolean;
  /** Sets the finalizer for calls of the next turn. With undefined, calls are not accepted. */
  serve(finalizer: Finalizer | undefined): void;
  close(): Promise<void>;
}

/** Starts a server. The caller closes it. */
export async function startFinalizerServer(options: FinalizerServerOptions): Promise<FinalizerServer> {
  const id = randomBytes(6).toString('hex');
  const [socketName, watchName] = [`${id}.sock`, `${id}.watch`];
  const socketPath = join(options.folder, socketName);
  const watch = await startListingWatch(join(options.folder, watchName));
  const sockets = new Set<Socket>();
  const held: HeldText = { maxChars: 2 * options.maxLineChars, chars: 0 };
  const state: ServerState = { finalizer: undefined, wasAsked: false, held, watch };
  const server = createServer((socket) => {
    sockets.add(socket);
    watch.report('started');
    socket.on('close', () => sockets.delete(socket));
    void answer(socket, options, state);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socketPath, resolve);
  });
  // Inside a container the agent can be another user. On the host, the parent folder denies access
  // to others.
  await chmod(socketPath, 0o666);
  return {
    socketName,
    watchName,
    get wasAsked() {
      return state.wasAsked;
    },
    serve(finalizer) {
      state.finalizer = finalizer;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await watch.close();
      await new Promise((resolve) => server.close(resolve));
      await rm(socketPath, { force: true });
    },
  };
}

/**
 * Connection limit. An agent and its sub-agents have one each, and each can hold one incomplete
 * message.
 */
const MAX_CONNECTIONS = 32;

interface ServerState {
  finalizer: Finalizer | undefined;
  wasAsked: boolean;
  readonly held: HeldText;
  readonly watch: ListingWatch;
}

/** Agents that require approval for changes can run this tool without it. */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };

async function answer(
  socket: Socket,
  { tool, hostTools, maxLineChars }: FinalizerServerOptions,
  state: ServerState,
): Promise<void> {
  const transport = createSocketTransport(socket, maxLineChars, state.held);
  const server = new Server({ name: 'truecast', version: '1.0.0' }, { capabilities: { tools: {} } });
  // Nothing is claimed about a function of the caller: it can change or reach anything.
  const listed: readonly AnnotatedTool[] = [
    ...(tool === undefined ? [] : [{ ...tool, annotations: ANNOTATIONS }]),
    ...(hostTools?.listed ?? []),
  ];
  server.setRequestHandler('tools/list', () => {
    state.wasAsked = true;
    if (state.watch.isWatched) setImmediate(() => void reportListed(server, state.watch));
    return {
      tools: listed.map((each) => ({
        ...each,
        inputSchema: { ...each.inputSchema, type: 'object' as const },
      })),
    };
  });
  server.setRequestHandler('tools/call', async ({ params: { name } }, { mcpReq }) => {
    const argumentsText = transport.takeArguments(mcpReq.id) ?? '{}';
    if (name === FINALIZER_NAME && tool !== undefined) return submit(state.finalizer, argumentsText);
    if (hostTools?.has(name) === true) {
      const { isError, text } = await hostTools.call({ name, argumentsText, signal: mcpReq.signal });
      return isError ? failure(text) : success(text);
    }
    const names = listed.map((each) => `\`${each.name}\``).join(' or ');
    return failure(`There is no tool \`${name}\` here. Call ${names}.`);
  });
  await server.connect(transport);
}

/** Time limit for a client that does not answer a ping. */
const PING_MS = 1_000;

/**
 * Reports that a client has the tools. It reads its messages in order, so an answer to a ping follows
 * the list.
 */
async function reportListed(client: Server, watch: ListingWatch): Promise<void> {
  await client.request({ method: 'ping' }, { timeout: PING_MS }).catch(() => undefined);
  watch.report('listed');
}

type AnnotatedTool = ListedTool & { readonly annotations?: typeof ANNOTATIONS };

async function submit(finalizer: Finalizer | undefined, argumentsText: string): Promise<CallToolResult> {
  if (finalizer === undefined) return failure('No answer is expected now. End your turn.');
  try {
    const { type, text } = await finalizer.submit(argumentsText);
    return type === 'accepted' ? success(text) : failure(text);
  } catch {
    // Only an abort rejects here, and it then ends the agent.
    return failure('The run is ending, so no answer is accepted.');
  }
}

function success(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
