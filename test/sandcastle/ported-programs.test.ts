/**
 * Compiles programs for `@ai-hero/sandcastle` with its types, and with the import lines changed to
 * `truecast/sandcastle`: the compiler reports the same. Reads the members of each type of both.
 */
import { describe, expect, it } from 'vitest';
import { linesOf, mistakes, mistakesOfOverloads } from './ported-mistakes.ts';
import {
  compile,
  completed,
  diagnosticsOf,
  ownPrograms,
  pagePrograms,
  ported,
  templates,
  type Diagnostic,
  type Program,
} from './ported-programs.ts';
import { exportsOf, memberPaths } from './type-paths.ts';

type Reports = Readonly<Record<string, readonly Diagnostic[]>>;

const original = [...templates(), ...pagePrograms()];
const excerpts = completed(pagePrograms());
const every = [...original, ...excerpts, ...ownPrograms(), mistakes, mistakesOfOverloads];
const oursOf = (name: string): string => `ours ${name}`;
const changed = every.map(({ name, code }) => ({ name: oursOf(name), code: ported(code) }));
/** The other two sandboxes take the options of a vendor's package. */
const ENTRIES = ['', '/sandboxes/docker', '/sandboxes/no-sandbox', '/sandboxes/podman'];
const entries = ENTRIES.flatMap((entry) => {
  const code = `import '@ai-hero/sandcastle${entry}';\n`;
  return [
    { name: `theirs${entry}`, code },
    { name: `ours${entry}`, code: ported(code) },
  ];
});
// One compiler reads the types of both libraries once.
const compiler = compile([...every, ...changed, ...entries]);

/** What the compiler reports of each program with the types of each library. */
function bothReports(programs: readonly Program[]): { readonly theirs: Reports; readonly ours: Reports } {
  const reports = (nameOf: (name: string) => string): Reports =>
    Object.fromEntries(programs.map(({ name }) => [name, diagnosticsOf(compiler, nameOf(name))]));
  return { theirs: reports((name) => name), ours: reports(oursOf) };
}

const anyCodeAt = (line: number): unknown => expect.stringMatching(new RegExp(`^${line}: TS\\d+$`, 'u'));

describe('a program with its import line changed', () => {
  it('names the original no more', () => {
    expect(new Set(every.map(({ name }) => name)).size).toBe(every.length);
    expect(every.filter(({ code }) => code.includes('@ai-hero/')).length).toBeGreaterThanOrEqual(45);
    expect(changed.filter(({ code }) => code.includes('@ai-hero/'))).toEqual([]);
  });

  it('compiles as before: 5 templates, 28 programs of the page', () => {
    expect([templates().length, pagePrograms().length]).toEqual([5, 28]);
    const { theirs, ours } = bothReports(original);
    expect(ours).toEqual(theirs);
    expect(templates().flatMap(({ name }) => theirs[name])).toEqual([]);
  });

  it('compiles as before when an excerpt imports the values that it uses', () => {
    const { theirs, ours } = bothReports(excerpts);
    expect(ours).toEqual(theirs);
    expect(Object.values(theirs).filter((found) => found.length === 0).length).toBe(18);
  });

  it('is each migrated program of the examples, without a report', () => {
    const { theirs, ours } = bothReports(ownPrograms());
    expect(ours).toEqual(theirs);
    expect(Object.values(ours)).toEqual(Array.from({ length: 8 }, () => []));
  });

  it('is refused for a mistake in the same line with the same code', () => {
    const lines = linesOf(mistakes);
    const { theirs, ours } = bothReports([mistakes]);
    expect(lines.length).toBeGreaterThanOrEqual(100);
    // Each line has one mistake, so a type that accepts everything cannot pass.
    expect(theirs).toEqual({ [mistakes.name]: lines.map(anyCodeAt) });
    expect(ours).toEqual(theirs);
  });

  it('is refused for a mistake in a run with an output in the same line', () => {
    const lines = linesOf(mistakesOfOverloads);
    const { theirs, ours } = bothReports([mistakesOfOverloads]);
    expect(theirs).toEqual({ [mistakesOfOverloads.name]: lines.map(anyCodeAt) });
    expect(ours).toEqual({ [mistakesOfOverloads.name]: lines.map((line) => `${line}: TS2769`) });
  });
});

describe('truecast/sandcastle', () => {
  it('has each member of each type of sandcastle, 4 levels deep', () => {
    const missing: string[] = [];
    let compared = 0;
    for (const entry of ENTRIES) {
      const ours = exportsOf(compiler, `ours${entry}`);
      for (const [name, type] of exportsOf(compiler, `theirs${entry}`)) {
        const own = ours.get(name);
        const paths = own === undefined ? new Set() : memberPaths(compiler, own);
        if (own === undefined) missing.push(name);
        for (const path of memberPaths(compiler, type)) {
          compared += 1;
          if (!paths.has(path)) missing.push(`${name}${path}`);
        }
      }
    }
    expect(missing).toEqual([]);
    expect(compared).toBeGreaterThanOrEqual(1500);
  });
});
