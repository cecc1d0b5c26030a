/** Tests of pure functions of the console: steps of the stage, questions that are asked again, drafts. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { MessageView } from '../../packages/client/src/wire/message.ts';
import { outcomeOf } from '../../web/src/chat/transcript/tool-outcome.ts';
import { filesProblem, askedOf, problemsOf, type AskDraft } from '../../web/src/ask/ask-draft.ts';
import { questionIn } from '../../web/src/value/question-in.ts';
import { describeCut, repeatedQuestion } from '../../web/src/chat/repeated-question.ts';
import { spansOf } from '../../web/src/chat/transcript/turn-spans.ts';
import { turnsOf } from '../../web/src/chat/transcript/turns.ts';
import { codeSamples } from '../../web/src/question/code-samples.ts';
import { chatBodyOf } from '../../web/src/question/question.ts';
import { rangeText } from '../../web/src/parts/bucket-text.ts';
import { bucketRange, linesOf, rangeBetween } from '../../web/src/quality/rate-points.ts';
import { jsonPieces } from '../../web/src/json/json-colours.ts';
import { stageLines, afterStep, stepOfKey } from '../../web/src/stage/stage-lines.ts';

const LINES = stageLines(
  [0, 0, 1, 1, 1, 3].map((turn, offset) => ({
    id: `run-${offset}`,
    run_id: 'run',
    offset,
    turn,
    actor: 'ada',
    kind: 'agent.spoke',
    payload: { text: 'Yes.' },
    created_at: '2026-01-01T00:00:00.000Z',
  })),
);

it.each([
  ['ArrowRight', false, 0, 1],
  ['ArrowRight', false, 5, 5],
  ['ArrowLeft', false, 0, 0],
  ['ArrowRight', true, 0, 2],
  ['ArrowRight', true, 3, 5],
  ['ArrowRight', true, 5, 5],
  ['ArrowLeft', true, 5, 2],
  ['ArrowLeft', true, 4, 2],
  ['ArrowLeft', true, 2, 0],
  ['ArrowLeft', true, 0, 0],
  ['Home', false, 4, 0],
  ['End', false, 1, 5],
])('moves with %s (shift %s) from line %i to line %i', (key, isShift, from, to) => {
  const step = stepOfKey(key, isShift);
  expect(step && afterStep(LINES, from, step)).toBe(to);
});

it('lists flat members of an event as text, and others as JSON', () => {
  const [first] = LINES;
  if (first === undefined) throw new TypeError('Expected a line.');
  const payload = {
    scores: { hedda: 10, ivo: 4 },
    votes: ['hedda', 'ivo'],
    plan: { at: { x: 1 } },
    won: true,
  };
  const [line] = stageLines([{ ...first.event, payload }]);
  const notes = ['scores: hedda 10, ivo 4', 'votes: hedda, ivo', 'plan: {"at":{"x":1}}', 'won: true'];
  expect(line?.notes).toEqual(notes);
});

it('has no step for another key, and stays in an empty run', () => {
  expect([stepOfKey('a', false), stepOfKey('Home', true), stepOfKey('constructor', false)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(afterStep([], 0, 'next-turn')).toBe(0);
  expect(afterStep([], 0, 'previous-turn')).toBe(0);
});

const message = (id: number, role: MessageView['role'], content: MessageView['content']): MessageView => ({
  id,
  chat_id: 'chat',
  role,
  content,
  is_compressed: false,
  created_at: '2026-01-01T00:00:00.000Z',
});
const format = {
  type: 'response_format',
  request_id: 'r',
  name: 'bug',
  schema_text: '{"type":"object"}',
  limits: { text_only: 5, max_repairs: 5 },
} as const;

it('repeats a question with its files and its required answer, and says what is cut off', () => {
  const file = { type: 'file', media_type: 'image/png', url: 'https://host/a.png' } as const;
  const turns = turnsOf([
    message(1, 'user', [file, { type: 'text', text: 'Where?' }, format]),
    message(2, 'assistant', [{ type: 'text', text: 'There.' }]),
    message(3, 'user', [{ type: 'text', text: 'Why?' }]),
    message(4, 'user', [{ type: 'text', text: 'When?' }]),
  ]);
  const [first, second] = turns;
  expect(first && repeatedQuestion(first, 'Who?')).toEqual({
    content: [file, { type: 'text', text: 'Who?' }],
    plan_mode: false,
    response_format: { type: 'json_schema', json_schema: { name: 'bug', schema: { type: 'object' } } },
  });
  expect(second && repeatedQuestion(second, 'Why not?')).toEqual({ content: 'Why not?' });
  expect([0, 1, 2].map((index) => describeCut(turns, index))).toEqual([
    'The reply to this question is removed, and the 2 questions after it. Receipts stay.',
    'The reply to this question is removed, and the question after it. Receipts stay.',
    'The reply to this question is removed. Its receipt stays.',
  ]);
});

const DRAFT: AskDraft = {
  message: 'How much?',
  name: 'invoice',
  schemaText: '{"type":"object"}',
  model: '',
  title: ' ',
  maxRepairs: '',
  deadline: '',
  plan: '',
  tools: '',
  from: '',
  kept: '',
  values: '',
};

it('names what the server would refuse, at the field that causes it', () => {
  expect(problemsOf(DRAFT)).toEqual({});
  const wrong = { name: 'an invoice', maxRepairs: '6', deadline: '1.5', tools: '[{"name": "look"}]' };
  expect(Object.keys(problemsOf({ ...DRAFT, ...wrong }))).toEqual(Object.keys(wrong));
  expect(problemsOf({ ...DRAFT, name: '', plan: 'yes' })).toEqual({});
});

it('sends the members that differ from their defaults, and no schema in plan mode', () => {
  const response_format = {
    type: 'json_schema',
    json_schema: { name: 'invoice', schema: { type: 'object' } },
  };
  expect(chatBodyOf(askedOf(DRAFT))).toEqual({ content: 'How much?', response_format });
  const tools = [{ name: 'look', input_schema: {} }];
  const set = { model: 'openai:gpt', title: 'Invoice', maxRepairs: '2', deadline: '60' };
  expect(chatBodyOf(askedOf({ ...DRAFT, ...set, tools: JSON.stringify(tools) }))).toEqual({
    content: 'How much?',
    response_format,
    model: 'openai:gpt',
    title: 'Invoice',
    tools,
    limits: { max_repairs: 2, deadline_seconds: 60 },
  });
  const plan = askedOf({ ...DRAFT, ...set, plan: 'yes' });
  expect(chatBodyOf(plan)).toEqual({
    content: 'How much?',
    plan_mode: true,
    model: 'openai:gpt',
    title: 'Invoice',
  });
});

it('sends files with their bytes, and shows a command that reads them', () => {
  const [file, other] = ["it's $1.png", 'b.txt'].map((name, index) => ({
    name,
    mediaType: 'image/png',
    bytes: 3,
    data: `AAA${index}`,
  }));
  if (file === undefined || other === undefined) throw new TypeError('Expected two files.');
  const asked = askedOf({ ...DRAFT, message: 'How `much` is $HOME \\?' }, [file, other]);
  const part = { type: 'file', media_type: 'image/png' };
  expect(chatBodyOf(asked).content).toEqual([
    { ...part, filename: "it's $1.png", data: 'AAA0' },
    { ...part, filename: 'b.txt', data: 'AAA1' },
    { type: 'text', text: 'How `much` is $HOME \\?' },
  ]);
  const samples = codeSamples(asked, 'http://localhost:1');
  expect(samples.map(({ name }) => name)).toEqual(['curl']);
  const folder = mkdtempSync(join(tmpdir(), 'truecast-files-'));
  writeFileSync(join(folder, "it's $1.png"), 'one');
  writeFileSync(join(folder, 'b.txt'), 'two'.repeat(60));
  // The shell makes the body that the first `curl` reads. The second one reads the receipt.
  const keep = '#!/bin/sh\n[ -e sent ] || cat > sent\n';
  writeFileSync(join(folder, 'curl'), keep, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  execFileSync('sh', ['-c', samples[0]?.code ?? ''], { cwd: folder, env });
  const sent: unknown = JSON.parse(readFileSync(join(folder, 'sent'), 'utf8'));
  expect(sent).toMatchObject({
    content: [
      { filename: "it's $1.png", data: btoa('one') },
      { filename: 'b.txt', data: btoa('two'.repeat(60)) },
      { text: 'How `much` is $HOME \\?' },
    ],
  });
  rmSync(folder, { recursive: true });
  expect(filesProblem([file])).toBeUndefined();
  expect(filesProblem([{ ...file, bytes: 0 }])).toContain('is empty');
  expect(filesProblem([file, { ...other, bytes: 700_000 }])).toContain('701 kB together');
});

it('gives each piece of a JSON text its kind, also while it is typed', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(
        jsonPieces(text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text);
    }),
  );
  const kinds = jsonPieces('{"a": [-1.5e3, true, "b\\"", null], "c" : "open')
    .filter(({ kind }) => kind !== 'sign')
    .map(({ kind, text }) => `${kind} ${text}`);
  expect(kinds).toEqual([
    'key "a"',
    'value -1.5e3',
    'value true',
    'string "b\\""',
    'value null',
    'key "c"',
    'string "open',
  ]);
});

it('has the queue, the first token and the reply of a model call, or says that they are not recorded', () => {
  const at = (second: number): string => new Date(second * 1_000).toISOString();
  const asked = { ...message(1, 'user', [{ type: 'text', text: 'Q' }]), created_at: at(0) };
  const said: MessageView['content'] = [{ type: 'text', text: 'A' }];
  const timed = { started_at: at(1), first_token_at: at(3) };
  const call = { ...message(2, 'assistant', said), created_at: at(9) };
  const phasesOf = (step: MessageView): unknown => spansOf({ user: asked, steps: [step] })[0]?.phases;
  expect(phasesOf({ ...call, ...timed })).toEqual({ queueMs: 1_000, firstMs: 2_000, replyMs: 6_000 });
  expect(phasesOf({ ...call, started_at: at(1) })).toEqual({ queueMs: 1_000, firstMs: 8_000, replyMs: 0 });
  // The clocks of two machines.
  const early = { started_at: at(-5), first_token_at: at(99) };
  expect(phasesOf({ ...call, ...early })).toEqual({ queueMs: 0, firstMs: 9_000, replyMs: 0 });
  expect(phasesOf(call)).toBeUndefined();
});

it('has the size and the time of a tool result, or the size alone', () => {
  const at = (ms: number): string => new Date(1_000_000 + ms).toISOString();
  const result = { tool_call_id: 'a', tool_name: 'look', is_error: false, result: { found: 3 } };
  expect(outcomeOf(result)).toBe('returned 11 B');
  expect(outcomeOf({ ...result, started_at: at(0), ended_at: at(320) })).toBe('returned 11 B in 0.3 s');
  expect(outcomeOf({ ...result, started_at: at(1), ended_at: at(0) })).toBe('returned 11 B');
  const failed = { ...result, is_error: true, result: 'ü'.repeat(1_050) };
  expect(outcomeOf(failed)).toBe('× failed with 2.1 kB');
  expect(outcomeOf({ ...failed, result: 'x'.repeat(63_700) })).toBe('× failed with 64 kB');
});

it('has a line for all answers and for each of several groups, and the range of a drag', () => {
  const days = [1, 2, 3].map((day) => `2026-11-0${day}T00:00:00.000Z`);
  const buckets = days.flatMap((start) =>
    [undefined, 'a', 'b'].map((key) => ({
      start,
      answers: 20,
      first_try: 10,
      valid: 20,
      ...(key !== undefined && { key }),
    })),
  );
  const report = { buckets };
  const [all, ...groups] = linesOf(report);
  expect(groups.map(({ key, points }) => [key, points.length])).toEqual([
    ['a', 3],
    ['b', 3],
  ]);
  const one = linesOf({ ...report, buckets: buckets.filter(({ key }) => key !== 'b') });
  expect(one.map(({ key }) => key)).toEqual([undefined]);
  const points = all?.points ?? [];
  const range = { since: days[1], until: '2026-11-04T00:00:00.000Z' };
  expect(rangeBetween(points, 'day', [1, 0.3])).toEqual(range);
  expect(rangeBetween(points, 'day', [0.5, 0.5])).toBeUndefined();
  expect(rangeBetween(points, 'day', [0.1, 0.3])).toBeUndefined();
  expect(rangeText(bucketRange([days[0] ?? '', days[1] ?? ''], 'day'))).toBe('Nov 1 to Nov 2');
  expect(rangeText(bucketRange([days[0] ?? '', days[0] ?? ''], 'day'))).toBe('Nov 1');
  expect(rangeText(bucketRange(['2026-11-01T05:00:00.000Z', '2026-11-01T06:00:00.000Z'], 'hour'))).toBe(
    'Nov 1, 05:00 to Nov 1, 07:00 UTC',
  );
  expect(rangeText({ since: 'then', until: 'now' })).toBe('then to now');
});

it('finds the question of an outcome, and none in a value of another schema', () => {
  const outcomes = JSON.stringify({
    type: 'object',
    properties: {
      value: {
        anyOf: [
          { properties: { answer: {} } },
          { properties: { question: {} } },
          { properties: { declined: {} } },
        ],
      },
    },
  });
  const asked = { value: { question: { text: 'Which?', options: ['pg', 1] } } };
  expect(questionIn(asked, outcomes)).toEqual({ text: 'Which?', options: ['pg'] });
  expect(questionIn({ value: { question: 'Which?' } }, outcomes)).toEqual({ text: 'Which?', options: [] });
  expect(questionIn({ value: { question: { id: 7 } } }, outcomes)).toEqual({ text: '{"id":7}', options: [] });
  expect(questionIn({ value: { answer: {} } }, outcomes)).toBeUndefined();
  expect(questionIn({ value: { declined: 'unsafe' } }, outcomes)).toBeUndefined();
  expect(questionIn(asked, '{"type":"object"}')).toBeUndefined();
  expect(questionIn({ question: 'Which?' }, 'no JSON')).toBeUndefined();
});
