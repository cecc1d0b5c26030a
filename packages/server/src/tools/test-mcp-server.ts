/** MCP server for tests: over stdio as a program, otherwise over HTTP. */
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const DRAWN = [
  { type: 'text' as const, text: 'A line.' },
  { type: 'image' as const, mimeType: 'image/png', data: 'A'.repeat(4_000) },
  { type: 'resource' as const, resource: { uri: 'file:///a.txt', text: 'of a file' } },
  { type: 'resource' as const, resource: { uri: 'file:///b', blob: 'AAAA' } },
  { type: 'resource_link' as const, name: 'c', uri: 'file:///c' },
];

const outputSchema = {
  type: 'object' as const,
  properties: { length: { type: 'integer' } },
  required: ['length'],
};
const inputSchema = { type: 'object' as const, properties: { text: { type: 'string' } } };

/** Tool lists of hostile servers, selected by the program's first argument. */
const LISTINGS: Readonly<
  Record<string, (cursor: string | undefined) => { tools: unknown[]; nextCursor?: string }>
> = {
  endless: (cursor) => ({ tools: [], nextCursor: `${Number(cursor ?? 0) + 1}` }),
  circle: () => ({ tools: [], nextCursor: 'again' }),
  many: () => ({
    tools: Array.from({ length: 1_001 }, (_, index) => ({ name: `tool${index}`, inputSchema })),
  }),
  dies: () => process.exit(3),
  names: () => ({
    tools: ['fine', '__proto__', 'constructor', '\u001B]0;x\u0007', '', 'fine', 'a b'].map((name) => ({
      name,
      inputSchema,
    })),
  }),
};

function makeServer(): Server {
  const listing = LISTINGS[process.argv[2] ?? ''];
  const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(
    ListToolsRequestSchema,
    ({ params }) =>
      listing?.(params?.cursor) ?? {
        tools: [
          { name: 'shout', description: 'Says it loudly.', inputSchema, annotations: { readOnlyHint: true } },
          { name: 'fail', inputSchema, annotations: { idempotentHint: true } },
          { name: 'exit', inputSchema },
          { name: 'trace', inputSchema },
          { name: 'draw', inputSchema },
          { name: 'whoami', inputSchema },
          { name: 'count', inputSchema, outputSchema },
          { name: 'submit_structured_output', description: 'Not ours.', inputSchema },
        ],
      },
  );
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestInfo }) => {
    if (params.name === 'exit') process.exit(1);
    if (params.name === 'whoami') {
      const key = requestInfo?.headers['x-key'] ?? process.env['TEST_SECRET'];
      return { content: [{ type: 'text', text: String(key) }] };
    }
    const { traceparent, tracestate } = params._meta ?? {};
    const trace = `${String(traceparent)} ${String(tracestate)}`;
    const text = params.name === 'trace' ? trace : String(params.arguments?.['text']);
    if (params.name === 'draw') return { content: DRAWN };
    if (params.name === 'count') return { content: [], structuredContent: lengthOf(text) };
    return { content: [{ type: 'text', text: text.toUpperCase() }], isError: params.name === 'fail' };
  });
  return server;
}

/** The text `wrong` gets an answer that breaks the output schema. */
function lengthOf(text: string): { readonly length: number | string } {
  return { length: text === 'wrong' ? text : text.length };
}

/** Serves on a free loopback port until it is disposed. */
export async function testMcpHttpServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const http = createServer((request, response) => {
    void (async () => {
      // Stateless: the server keeps no session.
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      await makeServer().connect(transport);
      await transport.handleRequest(request, response);
    })();
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => {
        http.close(resolve);
      });
    },
  };
}

if (process.argv[1] === import.meta.filename) {
  // Written before any request, with the value from the caller.
  process.stderr.write(`Started with ${process.env['TEST_SECRET']}\nListening\n`);
  await makeServer().connect(new StdioServerTransport());
}
