import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentEvent, StreamAgentProvider } from '../ports/agent-provider.ts';
import { AGENTS, NPM_AGENTS } from './registry/agents.ts';
import type { NpmAgentName } from './registry/agent-names.ts';

const RECORDINGS: readonly (readonly [NpmAgentName, string])[] = [
  ['claude-code', 'subagent-partial'],
  ['claude-code', '429'],
  ['codex', 'exec-json'],
  ['codex', 'err-401'],
  ['gemini-cli', 'tools'],
  ['gemini-cli', 'err-401'],
  ['opencode', 'thinking'],
  ['opencode', 'err-401'],
  ['copilot', 'json'],
  ['copilot', 'err-401'],
  ['pi', 'thinking'],
  ['pi', 'err-429'],
];

const STREAMS = RECORDINGS.map(([agent, name]) => ({
  make: NPM_AGENTS[agent].make,
  text: readFileSync(new URL(`../../../../test/transcripts/${agent}/${name}.jsonl`, import.meta.url), 'utf8'),
}));

function read(agent: StreamAgentProvider, chunks: readonly string[]): readonly AgentEvent[] {
  const parser = agent.createStreamParser();
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const places = [
    0,
    ...cuts.map((cut) => cut % text.length).toSorted((left, right) => left - right),
    text.length,
  ];
  return places.slice(1).map((to, index) => text.slice(places[index], to));
}

test('any slicing of a recorded stream gives the same events', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...STREAMS),
      fc.array(fc.nat(), { maxLength: 30 }),
      ({ make, text }, cuts) => {
        expect(read(make(), cutAt(text, cuts))).toEqual(read(make(), [text]));
      },
    ),
    { numRuns: 60 },
  );
});

const anyLine = fc.oneof(
  fc.json(),
  fc.string(),
  fc.constantFrom('{', '{"type":"result"', '"result"', 'null', '[]', ''),
);

/** A recorded line with one value replaced. Nearly valid input exposes missing checks. */
const mutatedLine = fc
  .tuple(fc.constantFrom(...STREAMS.flatMap(({ text }) => text.trim().split('\n'))), fc.nat(), fc.jsonValue())
  .map(([line, at, value]) => {
    let seen = 0;
    const chosen = at % 40;
    return JSON.stringify(
      JSON.parse(line, (_key, old: unknown) => {
        seen += 1;
        return seen === chosen ? value : old;
      }),
    );
  });

test('no line makes a parser throw, and its events are well formed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(anyLine, mutatedLine)),
      fc.constantFrom(...Object.values(AGENTS)),
      (lines, { make }) => {
        for (const event of read(make(), [lines.join('\n')])) {
          if (event.type === 'text' || event.type === 'thinking') expect(event.text).toBeTypeOf('string');
          if (event.type === 'usage') expect(event.usage.inputTokens).toBeGreaterThanOrEqual(0);
          if (event.type === 'session') expect(event.sessionId).toBeTypeOf('string');
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('a line nested beyond any stack is skipped or read, but does not throw', () => {
  const deep = `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"x","input":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}}\n`;
  expect(() => read(NPM_AGENTS['claude-code'].make(), [deep])).not.toThrow();
  expect(() =>
    read(NPM_AGENTS.codex.make(), [`{"type":"item.completed","item":${deep.trim()}}\n`]),
  ).not.toThrow();
});
