/** Strict parser of Prometheus' text format: a violation of the format fails the test. */
import { expect } from 'vitest';

/** Parsed metrics: each sample by its literal name and labels, and the types by name. */
export interface Exposition {
  readonly samples: ReadonlyMap<string, number>;
  readonly types: ReadonlyMap<string, string>;
}

const SAMPLE = /^([a-z_]+)(?:\{(.*)\})? ([-+0-9.e]+)$/u;
const LABEL = /([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/gu;

/** Parses the text and checks the rules for the format and the names. */
export function readExposition(text: string): Exposition {
  expect(text.endsWith('\n') && !text.endsWith('\n\n')).toBe(true);
  const samples = new Map<string, number>();
  const types = new Map<string, string>();
  let family = '';
  let lastHelp = '';
  for (const line of text.trimEnd().split('\n').filter(isOurs)) {
    const comment = /^# (HELP|TYPE) ([a-z_]+) (.+)$/u.exec(line);
    if (comment?.[1] === 'HELP') lastHelp = comment[2] ?? '';
    else if (comment !== null) {
      family = comment[2] ?? '';
      expect([line, family, types.has(family)]).toEqual([line, lastHelp, false]);
      types.set(family, comment[3] ?? '');
      assertName(family, comment[3] ?? '');
    } else readSample(line, family, samples, types);
  }
  assertHistograms(samples, types);
  return { samples, types };
}

/** Figures of the process have the names and values of the client library. */
function isOurs(line: string): boolean {
  return line !== '' && !/^(?:# (?:HELP|TYPE) )?(?:process|nodejs)_/u.test(line);
}

function assertName(name: string, type: string): void {
  expect(name).toMatch(/^truecast_[a-z_]+$/u);
  expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
  if (type === 'histogram') expect(name).toMatch(/_seconds$/u);
}

function readSample(
  line: string,
  family: string,
  samples: Map<string, number>,
  types: ReadonlyMap<string, string>,
): void {
  const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
  const suffix = types.get(family) === 'histogram' ? /^(?:_bucket|_sum|_count)$/u : /^$/u;
  expect([line, name.startsWith(family) && suffix.test(name.slice(family.length))]).toEqual([line, true]);
  const read = [...labels.matchAll(LABEL)];
  expect(read.map(([whole]) => whole).join('')).toBe(labels);
  const names = read.map((label) => label[1]);
  expect(new Set(names).size).toBe(names.length);
  expect([line, Number.isFinite(Number(value)), samples.has(`${name}{${labels}}`)]).toEqual([
    line,
    true,
    false,
  ]);
  samples.set(`${name}{${labels}}`, Number(value));
}

function assertHistograms(samples: ReadonlyMap<string, number>, types: ReadonlyMap<string, string>): void {
  for (const [family] of [...types].filter(([, type]) => type === 'histogram')) {
    const series = new Map<string, number[]>();
    for (const [key, value] of samples) {
      const [, labels = ''] = /^[a-z_]+_bucket\{le="[^"]+",?(.*)\}$/u.exec(key) ?? [];
      if (key.startsWith(`${family}_bucket{`)) series.set(labels, [...(series.get(labels) ?? []), value]);
    }
    for (const [labels, counts] of series) {
      expect(counts).toEqual(counts.toSorted((one, other) => one - other));
      expect(samples.get(`${family}_count{${labels}}`)).toBe(counts.at(-1));
      expect(samples.get(`${family}_sum{${labels}}`)).toBeGreaterThanOrEqual(0);
    }
  }
}
