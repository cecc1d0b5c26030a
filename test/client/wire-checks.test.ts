/**
 * Compares the client's checks with the server's Zod schemas, on samples of every shape and on
 * samples with one changed member.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findMismatch, type Mismatch } from '../../packages/core/src/shape/find-mismatch.ts';
import type { Shape } from '../../packages/core/src/shape/shape.ts';
import { eventCheck } from '../../packages/client/src/event-checks.ts';
import {
  chatCheck,
  chatPageCheck,
  createdChatCheck,
  dryRunCheck,
  editedCheck,
  messagePageCheck,
  modelListCheck,
  problemCheck,
  queueCheck,
  receiptCheck,
  sentCheck,
} from '../../packages/client/src/wire-checks.ts';
import { chatListCheck } from '../../packages/client/src/wire-checks.ts';
import { usageCheck } from '../../packages/client/src/request-usage.ts';
import { receiptSchema } from '../../packages/server/src/contract/receipt.ts';
import type { WireSchema } from '../../packages/server/src/contract/wire-schema.ts';
import { usageViewSchema } from '../../packages/server/src/contract/wire/account-wire.ts';
import {
  chatPageViewSchema,
  chatViewSchema,
  createdChatViewSchema,
  modelListViewSchema,
} from '../../packages/server/src/contract/wire/chat-wire.ts';
import { dryRunViewSchema } from '../../packages/server/src/contract/wire/format-wire.ts';
import {
  editedViewSchema,
  messagePageViewSchema,
  queueViewSchema,
  sentViewSchema,
} from '../../packages/server/src/contract/wire/message-wire.ts';
import { problemDocumentSchema } from '../../packages/server/src/contract/wire/problem-wire.ts';
import { chatStreamEventSchema } from '../../packages/server/src/contract/wire/stream-wire.ts';

/** A page as the client requests it. Only the console requests the values of chats. */
const withoutPreviews: WireSchema<unknown> = z.strictObject({
  chats: z.array(chatViewSchema),
  next: z.string().exactOptional(),
});

const PAIRS: readonly (readonly [string, Shape<unknown>, WireSchema<unknown>])[] = [
  ['chat', chatCheck, chatViewSchema],
  ['created chat', createdChatCheck, createdChatViewSchema],
  ['page of chats', chatPageCheck, withoutPreviews],
  ['page of chats with their values', chatListCheck, chatPageViewSchema],
  ['models', modelListCheck, modelListViewSchema],
  ['sent message', sentCheck, sentViewSchema],
  ['edited message', editedCheck, editedViewSchema],
  ['page of messages', messagePageCheck, messagePageViewSchema],
  ['queue', queueCheck, queueViewSchema],
  ['receipt', receiptCheck, receiptSchema],
  ['report on a format', dryRunCheck, dryRunViewSchema],
  ['use of quotas', usageCheck, usageViewSchema],
  ['event', eventCheck, chatStreamEventSchema],
];

describe.each(PAIRS)('the check of a %s', (_name, shape, schema) => {
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
      zod: schema.safeParse(sample).error?.issues[0]?.path,
    }));
    expect(judged.filter((each) => String(each.check) !== String(each.zod))).toEqual([]);
    expect(judged.some((each) => each.check !== undefined)).toBe(true);
    expect(judged.some((each) => each.check === undefined)).toBe(true);
  });
});

it('reads the members of a problem document that it uses', () => {
  const samples = samplesOf(z.toJSONSchema(problemDocumentSchema) as Node);
  expect(samples.map((sample) => findMismatch(problemCheck, sample))).toEqual(samples.map(() => undefined));
  expect(findMismatch(problemCheck, { code: 'x' })).toMatchObject({ path: ['detail'] });
});

interface Node {
  readonly type?: string;
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
 * Returns copies of the samples in which one object was changed. Members of any JSON stay. An equal
 * object at the same path is changed once.
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
    const key = `${path} ${JSON.stringify(value)}`;
    const isSeen = seen.has(key);
    seen.add(key);
    const inner = Object.entries(members).flatMap(([name, member]) =>
      visit(member, `${path}.${name}`).map((each) => ({ ...members, [name]: each })),
    );
    return [...(isSeen ? [] : change(members)), ...inner];
  };
  return samples.flatMap((sample) => visit(sample, ''));
}

const OTHERS: readonly unknown[] = [null, 2, 1.5, 'y', true, false, [], {}, [1]];

function breakMember(members: Members): Members[] {
  return Object.keys(members).flatMap((key) => {
    const { [key]: _removed, ...rest } = members;
    return [rest, ...OTHERS.map((other) => ({ ...rest, [key]: other }))];
  });
}
