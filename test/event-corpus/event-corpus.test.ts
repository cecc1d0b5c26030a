/**
 * Tests the parser on a corpus of small models' output: the right event or no event, never a wrong
 * one.
 */
import { describe, expect, it } from 'vitest';
import { parseAgentOutput } from '../../packages/ensemble/src/index.ts';
import shapes from './shapes.json' with { type: 'json' };

const GRANT = { allowedKinds: ['agent.spoke', 'world.observed'], fallbackKind: 'agent.spoke' } as const;

describe('the corpus of shapes', () => {
  it('has at least 120, each under a name of its own', () => {
    expect(new Set(shapes.map(({ name }) => name)).size).toBe(shapes.length);
    expect(new Set(shapes.map(({ raw }) => raw)).size).toBe(shapes.length);
    expect(shapes.length).toBeGreaterThanOrEqual(120);
  });

  it.each(shapes)('gives the right event, or none: $name', ({ raw, event }) => {
    const { payload, tier } = parseAgentOutput(raw, GRANT);
    expect(tier === 'raw' ? null : payload).toEqual(event);
  });

  it.each(shapes.filter(({ event }) => event === null))('speaks no JSON: $name', ({ raw }) => {
    const { payload } = parseAgentOutput(raw, GRANT);
    expect(payload).toEqual({ kind: 'agent.spoke', text: payload.text, _raw_fallback: true });
    expect(payload.text).not.toMatch(/"|\{\s*\}|^[\d[]|null/u);
  });
});
