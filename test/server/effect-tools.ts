/** Owns tools whose effects can be counted: each call leaves a line in a file. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolSuccess, type ServerTool } from '../../src/server/tools/server-tool.ts';

const NAMES = ['note', 'mark', 'look'] as const;

/** `note` and `mark` must not be run twice; `look` may. */
export function effectTools(folder: string, onEffect: (name: string) => void): ServerTool[] {
  return NAMES.map((name) => ({
    definition: { name, description: 'Leaves a line.', inputSchema: { type: 'object' } },
    ...(name === 'look' && { isIdempotent: true }),
    run: (input) => {
      appendFileSync(join(folder, name), `${JSON.stringify(input)}\n`);
      onEffect(name);
      return Promise.resolve(toolSuccess('done'));
    },
  }));
}

/** How often each call was carried out, by its tool and input. */
export function effectsOf(folder: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of NAMES) {
    const file = join(folder, name);
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    for (const line of lines) counts.set(`${name} ${line}`, (counts.get(`${name} ${line}`) ?? 0) + 1);
  }
  return counts;
}
