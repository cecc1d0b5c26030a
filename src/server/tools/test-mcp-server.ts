/** Owns the MCP server that tests connect to, by stdio when it is run as a program, by HTTP otherwise. */
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const inputSchema = { type: 'object' as const, properties: { text: { type: 'string' } } };

function makeServer(): Server {
  const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      { name: 'shout', description: 'Says it loudly.', inputSchema, annotations: { readOnlyHint: true } },
      { name: 'fail', inputSchema },
      { name: 'exit', inputSchema },
      { name: 'submit_structured_output', description: 'Not ours.', inputSchema },
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name === 'exit') process.exit(1);
    const text = String(params.arguments?.['text']);
    return { content: [{ type: 'text', text: text.toUpperCase() }], isError: params.name === 'fail' };
  });
  return server;
}

/** Serves on a free port of this machine until it is disposed of. */
export async function testMcpHttpServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const http = createServer((request, response) => {
    void (async () => {
      // Each request by itself: the server keeps no session.
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

if (process.argv[1] === import.meta.filename) await makeServer().connect(new StdioServerTransport());
