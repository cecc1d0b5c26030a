/**
 * Compares the two readers of a wire format, the tolerant one of the client and the strict one of the
 * server, on samples of every shape and on samples with one changed member.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issuedTokenView, meView, tokenListView, usageView } from '../../packages/client/src/wire/account.ts';
import { agentRunDetailView, agentRunPageView } from '../../packages/client/src/wire/runs/agent-run.ts';
import { agentRunEvent } from '../../packages/client/src/wire/runs/agent-run-event.ts';
import {
  chatPageView,
  chatView,
  createdChatView,
  listedChatPageView,
  modelListView,
} from '../../packages/client/src/wire/chat.ts';
import {
  ensembleRunPageView,
  ledgerEventPageView,
  scenarioListView,
} from '../../packages/client/src/wire/ensemble.ts';
import { editedView, messagePageView, queueView, sentView } from '../../packages/client/src/wire/message.ts';
import { ownerStreamEvent } from '../../packages/client/src/wire/stream/owner-stream.ts';
import { qualityView } from '../../packages/client/src/wire/quality.ts';
import { receipt } from '../../packages/client/src/wire/receipt.ts';
import {
  requestDetailView,
  requestPageView,
  schemaDetailView,
  schemaPageView,
} from '../../packages/client/src/wire/request.ts';
import { dryRunView, serverProblem } from '../../packages/client/src/wire/response-format.ts';
import {
  runDetailView,
  runEventPageView,
  runPageView,
  runTranscriptView,
} from '../../packages/client/src/wire/kept-run.ts';
import { chatStreamEvent } from '../../packages/client/src/wire/stream-event.ts';
import { valueAt } from '../../packages/core/src/json/show-path.ts';
import { findMismatch, type Mismatch } from '../../packages/core/src/shape/find-mismatch.ts';
import {
  string,
  type Form,
  type Members as ShapeMembers,
  type Shape,
} from '../../packages/core/src/shape/shape.ts';
import { toZod } from '../../packages/server/src/contract/to-zod.ts';
import { problemDocumentSchema } from '../../packages/server/src/contract/wire/problem-wire.ts';
import { FORM } from '../matrix.ts';

const SHAPES: readonly (readonly [string, Shape<unknown>])[] = [
  ['chat', chatView],
  ['created chat', createdChatView],
  ['page of chats', chatPageView],
  ['page of chats with their values', listedChatPageView],
  ['models', modelListView],
  ['sent message', sentView],
  ['edited message', editedView],
  ['page of messages', messagePageView],
  ['queue', queueView],
  ['receipt', receipt],
  ['page of requests', requestPageView],
  ['request', requestDetailView],
  ['page of schemas', schemaPageView],
  ['schema', schemaDetailView],
  ['report on a format', dryRunView],
  ['caller', meView],
  ['use of quotas', usageView],
  ['list of tokens', tokenListView],
  ['new token', issuedTokenView],
  ['report on quality', qualityView],
  ['page of runs', runPageView],
  ['run', runDetailView],
  ['page of events of a run', runEventPageView],
  ['transcript', runTranscriptView],
  ['agent run', agentRunDetailView],
  ['page of agent runs', agentRunPageView],
  ['event of an agent run', agentRunEvent],
  ['page of ensemble runs', ensembleRunPageView],
  ['page of a ledger', ledgerEventPageView],
  ['list of scenarios', scenarioListView],
  ['event of a chat', chatStreamEvent],
  ['event of an owner', ownerStreamEvent],
];

/** Limits are for requests, and a part of a newer server can have any type: the tolerant reader accepts both. */
function isJudged({ code, path }: z.core.$ZodIssue, sample: unknown): boolean {
  if (code === 'too_big' || code === 'too_small') return false;
  return (
    code !== 'invalid_union' || path.length === 1 || typeof valueAt(sample, path.map(String)) !== 'string'
  );
}

/** Returns the shape with any text in place of the open enumerations. */
function withAnyText({ is }: Shape<unknown>): Shape<unknown> {
  if (is.type === 'enum') return is.open === true ? string : { is };
  return { is: mapped(is) };
}

function mapped(is: Form): Form {
  switch (is.type) {
    case 'array':
      return { ...is, item: withAnyText(is.item) };
    case 'object':
      return { ...is, members: mapMembers(is.members) };
    case 'tagged': {
      const cases = Object.entries(is.cases).map(([type, each]) => [type, withAnyText(each)] as const);
      return { ...is, cases: Object.fromEntries(cases) };
    }
    default:
      return is;
  }
}

function mapMembers(members: ShapeMembers): ShapeMembers {
  const each = Object.entries(members).map(([key, member]) => [
    key,
    'optional' in member ? { optional: withAnyText(member.optional) } : withAnyText(member),
  ]);
  return Object.fromEntries(each) as ShapeMembers;
}

describe.each(SHAPES)('the shape of a %s', (_name, shape) => {
  const schema = toZod(shape);
  const known = toZod(withAnyText(shape));
  const check = (value: unknown): Mismatch | undefined => findMismatch(shape, value);
  const samples = samplesOf(z.toJSONSchema(schema) as Node);

  it('accepts what the server can send', () => {
    expect(samples.length).toBeGreaterThan(1);
    expect(samples.filter((sample) => !schema.safeParse(sample).success)).toEqual([]);
    expect(samples.map((sample) => check(sample)).filter((wrong) => wrong !== undefined)).toEqual([]);
  });

  it('accepts a member of a newer server', () => {
    const newer = changesOf(samples, (each) => [{ ...each, newer: 1 }]);
    expect(newer.map((sample) => check(sample)).filter((wrong) => wrong !== undefined)).toEqual([]);
  });

  it('refuses a missing member and a member of another type, exactly where Zod does', () => {
    const changed = changesOf(samples, breakMember);
    const judged = changed.map((sample) => ({
      sample,
      check: check(sample)?.path,
      zod: known.safeParse(sample).error?.issues.find((issue) => isJudged(issue, sample))?.path,
    }));
    expect(judged.filter((each) => String(each.check) !== String(each.zod))).toEqual([]);
    expect(judged.some((each) => each.check !== undefined)).toBe(true);
    expect(judged.some((each) => each.check === undefined)).toBe(true);
  });
});

it('reads the members of a problem document that it uses', () => {
  const samples = samplesOf(z.toJSONSchema(problemDocumentSchema) as Node);
  expect(samples.map((sample) => findMismatch(serverProblem, sample))).toEqual(samples.map(() => undefined));
  expect(findMismatch(serverProblem, { code: 'x' })).toMatchObject({ path: ['detail'] });
});

interface Node {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
}

/** Returns values of every form of a schema: each union case and enum value, with and without optional members. */
function samplesOf(node: Node): unknown[] {
  const cases = node.anyOf ?? node.oneOf;
  if (cases !== undefined) return cases.flatMap(samplesOf);
  if (typeof node.type === 'object') return node.type.flatMap((type) => samplesOf({ type }));
  if ('const' in node) return [node.const];
  if (node.enum !== undefined) return [...node.enum];
  if (node.type === 'array') return [[], ...samplesOf(node.items ?? {}).map((item) => [item])];
  if (node.type === 'object') return objectsOf(node);
  if (node.type === 'boolean') return [true, false];
  if (node.type === 'string') return ['x'];
  if (node.type === 'integer' || node.type === 'number') return [1];
  return [{ any: [null] }, null];
}

function objectsOf({ properties = {}, required = [] }: Node): unknown[] {
  const members = Object.entries(properties).map(([key, node]) => [key, samplesOf(node)] as const);
  const whole = Object.fromEntries(members.map(([key, values]) => [key, values.at(-1)]));
  const least = Object.fromEntries(Object.entries(whole).filter(([key]) => required.includes(key)));
  return [
    whole,
    least,
    ...members.flatMap(([key, values]) => values.map((value) => ({ ...whole, [key]: value }))),
  ];
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns copies of the samples in which one object was changed. Members of any JSON stay. An object of an
 * equal form at the same path is changed once; in the whole matrix each object that is not equal.
 */
function changesOf(samples: readonly unknown[], change: (members: Members) => Members[]): unknown[] {
  const seen = new Set<string>();
  const visit = (value: unknown, path: string): unknown[] => {
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value;
      return items.flatMap((item, at) => visit(item, path).map((each) => items.with(at, each)));
    }
    if (typeof value !== 'object' || value === null || 'any' in value) return [];
    const members: Members = { ...value };
    const key = `${path} ${FORM === 'whole' ? JSON.stringify(value) : formOf(members)}`;
    const isSeen = seen.has(key);
    seen.add(key);
    const inner = Object.entries(members).flatMap(([name, member]) =>
      visit(member, `${path}.${name}`).map((each) => ({ ...members, [name]: each })),
    );
    return [...(isSeen ? [] : change(members)), ...inner];
  };
  return samples.flatMap((sample) => visit(sample, ''));
}

/** The names of an object's members with their types, and its tag: a reader judges each member by itself. */
function formOf(members: Members): string {
  return Object.entries(members)
    .map(([name, value]) => `${name} ${name === 'type' ? String(value) : typeOf(value)}`)
    .join();
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? `array ${value.length}` : typeof value;
}

const OTHERS: readonly unknown[] = [null, 2, 1.5, 'y', true, false, [], {}, [1]];

function breakMember(members: Members): Members[] {
  return Object.keys(members).flatMap((key) => {
    const { [key]: _removed, ...rest } = members;
    return [rest, ...OTHERS.map((other) => ({ ...rest, [key]: other }))];
  });
}
