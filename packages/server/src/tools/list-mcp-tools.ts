/**
 * Tool listing of an MCP server, with limits on pages, tools, bytes and time, and with names that
 * are safe as keys and on a terminal.
 */
import type { Client, Tool } from '@modelcontextprotocol/client';
import { describeValue } from '@truecast/core/internal/kit/describe-value';

/** Tools that can be offered, and the omitted ones. */
export interface ListedTools {
  readonly tools: readonly Tool[];
  readonly problems: readonly string[];
}

const MAX_PAGES = 100;
const MAX_TOOLS = 1_000;
const MAX_CHARS = 8 * 1024 * 1024;
/** Every prompt of a chat contains the definitions. */
const MAX_DESCRIPTION_CHARS = 64 * 1024;
const MAX_SCHEMA_CHARS = 256 * 1024;
const MAX_LISTING_MS = 5_000;
const MAX_PROBLEMS = 10;

/** As the MCP specification recommends: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names */
const NAME = /^[A-Za-z0-9_./-]{1,128}$/u;
/** Members of every object. A tool with such a name could be confused with one of them. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Lists the tools. Tools with invalid names are left out. A server whose list is endless or too
 * large has no tools.
 *
 * @throws SdkError if the server is too slow
 */
export async function listMcpTools(client: Client): Promise<ListedTools> {
  const signal = AbortSignal.timeout(MAX_LISTING_MS);
  const tools: Tool[] = [];
  const cursors = new Set<string>();
  let chars = 0;
  for (let cursor: string | undefined, page = 1; ; page += 1) {
    // Not `client.listTools()`, which follows all cursors without these limits.
    const listed = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      { signal, timeout: MAX_LISTING_MS },
    );
    chars += JSON.stringify(listed.tools).length;
    for (const tool of listed.tools) tools.push(tool);
    if (tools.length > MAX_TOOLS) return none(`lists more than ${MAX_TOOLS} tools`);
    if (chars > MAX_CHARS) return none(`lists tools of more than ${MAX_CHARS} characters`);
    cursor = listed.nextCursor;
    if (cursor === undefined) return checkNames(tools);
    if (page >= MAX_PAGES) return none(`lists more than ${MAX_PAGES} pages of tools`);
    if (cursors.has(cursor)) return none('lists the same page of tools again');
    cursors.add(cursor);
  }
}

function checkNames(listed: readonly Tool[]): ListedTools {
  const tools: Tool[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const tool of listed) {
    const isNamed = NAME.test(tool.name) && !RESERVED.has(tool.name) && !seen.has(tool.name);
    if (isNamed && JSON.stringify(tool.inputSchema).length > MAX_SCHEMA_CHARS) {
      problems.push(
        `offers the tool \`${tool.name}\` with an input schema of more than ${MAX_SCHEMA_CHARS} characters; it is omitted`,
      );
    } else if (isNamed) tools.push(withShortDescription(tool, problems));
    else {
      problems.push(
        `offers a tool with the invalid name ${describeValue(tool.name)}, which is omitted: use 1 to 128 of A-Z, a-z, 0-9, \`_\`, \`-\`, \`.\` and \`/\`, each name once`,
      );
    }
    seen.add(tool.name);
  }
  return { tools, problems: problems.slice(0, MAX_PROBLEMS) };
}

function withShortDescription(tool: Tool, problems: string[]): Tool {
  const { name, description = '' } = tool;
  if (description.length <= MAX_DESCRIPTION_CHARS) return tool;
  problems.push(
    `describes the tool \`${name}\` with ${description.length} characters; all after ${MAX_DESCRIPTION_CHARS} are omitted`,
  );
  return { ...tool, description: description.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed() };
}

function none(why: string): ListedTools {
  return { tools: [], problems: [`${why}; none of them is offered`] };
}
