/**
 * Checks the parser against the outcome of each edge case, and docs/event-contract.md against the
 * same data.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAgentOutput } from '../../packages/ensemble/src/index.ts';
import { EDGE_CASES, type EdgeCase } from './edge-cases.ts';
import shapes from './shapes.json' with { type: 'json' };

const GRANT = { allowedKinds: ['agent.spoke', 'world.observed'], fallbackKind: 'agent.spoke' } as const;
const MAX_SHOWN_CHARS = 90;

describe('an edge case', () => {
  it.each(EDGE_CASES)('ends as decided: $name', ({ raw, tier, kind, text, repairs, violations }) => {
    const result = parseAgentOutput(raw, GRANT);
    expect({
      tier: result.tier,
      kind: result.payload.kind,
      text: result.payload.text,
      repairs: result.repairs.map((repair) => repair.kind),
      violations: result.violations.map(({ code }) => code),
    }).toEqual({
      tier,
      kind: kind ?? 'agent.spoke',
      text,
      repairs: repairs ?? [],
      violations: violations ?? [],
    });
  });
});

it('is documented in docs/event-contract.md as tested', async () => {
  const template = readFileSync(new URL('event-contract.template.md', import.meta.url), 'utf8');
  const page = template.replace('TABLE\n', () => `${table()}\n`);
  expect(page).toContain(`${shapes.length} shapes`);
  await expect(page).toMatchFileSnapshot('../../docs/event-contract.md');
});

function table(): string {
  const head = ['| model output | tier | `text` | reported |', '|---|---|---|---|'];
  return [...head, ...EDGE_CASES.map(row)].join('\n');
}

function row({ name, raw, tier, kind, text, repairs = [], violations = [] }: EdgeCase): string {
  const reported = [...repairs, ...violations].map((code) => `\`${code}\``).join(', ');
  const event = text === '' ? 'empty' : code(text);
  return `| ${name}: ${raw === '' ? '' : code(raw)} | \`${tier}\` | ${event}${kind === undefined ? '' : `, as \`${kind}\``} | ${reported} |`;
}

/** Code in a table cell, in which a bar or a newline would end the cell. */
function code(text: string): string {
  const shown = text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
  const line = shown
    .replaceAll('\n', '↵')
    .replaceAll('\uFEFF', '')
    .replaceAll('|', String.raw`\|`);
  return line.includes('`') ? `\`\`\`\` ${line} \`\`\`\`` : `\`${line}\``;
}
