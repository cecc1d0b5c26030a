/** Tools with countable effects: each call appends a line to a file. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolSuccess, type ServerTool } from '../../packages/server/src/tools/server-tool.ts';

const NAMES = ['note', 'mark', 'look'] as const;

/** `note` and `mark` must not run twice. `look` can. */
export function effectTools(folder: string, onEffect: (name: string) => void): ServerTool[] {
  return NAMES.map((name) => ({
    definition: { name, description: 'Leaves a line.', inputSchema: { type: 'object' } },
    ...(name === 'look' && { idempotentHint: true }),
    run: (input) => {
      appendFileSync(join(folder, name), `${JSON.stringify(input)}\n`);
      onEffect(name);
      return Promise.resolve(toolSuccess('done'));
    },
  }));
}

/** Number of executed calls by tool and input. */
export function effectsOf(folder: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of NAMES) {
    const file = join(folder, name);
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    for (const line of lines) counts.set(`${name} ${line}`, (counts.get(`${name} ${line}`) ?? 0) + 1);
  }
  return counts;
}
