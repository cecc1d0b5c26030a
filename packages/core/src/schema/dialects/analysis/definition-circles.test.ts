/** Checks which definitions refer back to themselves, against a search from each of them. */
import { expect, it } from 'vitest';
import { findCircles, referredNames } from './definition-circles.ts';

const NAMES = ['a', 'b', 'c'] as const;
type Graph = Readonly<Record<string, readonly string[]>>;

const definitionsOf = (graph: Graph): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(graph).map(([name, targets]) => [
      name,
      { anyOf: targets.map((target) => ({ $ref: `#/$defs/${target}` })) },
    ]),
  );

/** Returns the names that can be reached in at least one step. */
function reachedFrom(name: string, graph: Graph): ReadonlySet<string> {
  const reached = new Set(graph[name]);
  for (const next of reached) for (const target of graph[next] ?? []) reached.add(target);
  return reached;
}

it('finds the circles of every graph of three definitions', () => {
  for (let bits = 0; bits < 2 ** 9; bits += 1) {
    const graph = Object.fromEntries(
      NAMES.map((name, row) => [
        name,
        NAMES.filter((_target, column) => ((bits >> (3 * row + column)) & 1) === 1),
      ]),
    );
    const found = findCircles(definitionsOf(graph));
    const inCircles = NAMES.filter((name) => reachedFrom(name, graph).has(name));
    expect([graph, [...found.keys()].toSorted()]).toEqual([graph, inCircles]);
    for (const one of inCircles) {
      for (const other of inCircles) {
        const isSame = reachedFrom(one, graph).has(other) && reachedFrom(other, graph).has(one);
        expect([graph, found.get(one) === found.get(other)]).toEqual([graph, isSame]);
      }
    }
  }
});

it('passes over a reference to a definition that is missing', () => {
  expect(findCircles(definitionsOf({ a: ['gone', 'b'], b: ['a'] })).size).toBe(2);
  expect(findCircles(definitionsOf({ a: ['gone'] })).size).toBe(0);
});

it('returns each definition that a part refers to, and no other reference', () => {
  const part = {
    properties: { x: { $ref: '#/$defs/a' }, y: { items: { $ref: '#/$defs/b' } } },
    anyOf: [
      { $ref: '#/$defs/a' },
      { $ref: '#' },
      { $ref: '#/definitions/c' },
      { const: { $ref: '#/$defs/d' } },
    ],
  };
  expect([...referredNames(part)].toSorted()).toEqual(['a', 'b']);
  expect(referredNames(true).size).toBe(0);
});
