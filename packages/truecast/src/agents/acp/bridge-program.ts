/**
 * Loader of the bridge. The program is sent on stdin before its request, so that nothing has to be
 * mounted or installed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentError } from '@truecast/core/internal/errors/agent-error';
import type { PrintCommand } from '../../ports/agent-provider.ts';
import { joinCommand } from '../../support/shell-quote.ts';
import type { BridgeRequest } from './bridge-request.ts';

/** In the build, this file is part of an entry or a chunk, at the root or one folder below. */
const BUILT_PLACES = ['./acp-bridge.mjs', '../acp-bridge.mjs', './acp-bridge.js', '../acp-bridge.js'];

/**
 * Reads `<length>\n<program><request>` from stdin, and calls the program's `runBridge` with the request.
 */
const LOADER = [
  'const pieces=[];process.stdin.on("data",(piece)=>pieces.push(piece)).on("end",async()=>{',
  'const all=Buffer.concat(pieces),start=all.indexOf(10)+1,end=start+Number(all.subarray(0,start));',
  'const {runBridge}=await import("data:text/javascript;base64,"+all.subarray(start,end).toString("base64"));',
  'await runBridge(JSON.parse(all.subarray(end)))})',
].join('');

/** Builds the command that runs the bridge. It needs `node` 22 or later. */
export function bridgeCommand(node: string, request: BridgeRequest): PrintCommand {
  const program = bridgeProgram();
  return {
    command: joinCommand([node, '--input-type=commonjs', '-e', LOADER]),
    stdin: `${Buffer.byteLength(program)}\n${program}${JSON.stringify(request)}`,
  };
}

/** Returns the bridge's source path if it runs from the source tree, without a bundle. */
function sourcePath(): string | undefined {
  const path = fileURLToPath(new URL('./bridge.ts', import.meta.url));
  return import.meta.url.endsWith('.ts') && existsSync(path) ? path : undefined;
}

/** Returns host paths that a sandbox has to mount. Empty in the published build. */
export function bridgePaths(): readonly string[] {
  const source = sourcePath();
  if (source === undefined) return [];
  const root = join(dirname(source), '../../../../..');
  return ['packages', 'node_modules', 'package.json'].map((name) => join(root, name));
}

let built: string | undefined;

function bridgeProgram(): string {
  const source = sourcePath();
  if (source !== undefined) {
    return `export { runBridge } from ${JSON.stringify(new URL('./bridge.ts', import.meta.url).href)};`;
  }
  built ??= readBuilt();
  return built;
}

function readBuilt(): string {
  const found = BUILT_PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) =>
    existsSync(path),
  );
  if (found !== undefined) return readFileSync(found, 'utf8');
  throw new AgentError(
    'This build of truecast lacks `acp-bridge.mjs`, so `acp()` cannot work. Install truecast again.',
    {
      code: 'spawn',
    },
  );
}
