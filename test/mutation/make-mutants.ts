/** Mutants of a room: Stryker's instrumenter makes them, all in one text of each source. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Room } from './rooms.ts';

const ROOT = join(import.meta.dirname, '../..');

const positionSchema = z.object({ line: z.number(), column: z.number() });
const mutantSchema = z.object({
  id: z.string(),
  fileName: z.string(),
  mutatorName: z.string(),
  replacement: z.string(),
  location: z.object({ start: positionSchema, end: positionSchema }),
});
const resultSchema = z.object({
  files: z.array(z.object({ name: z.string(), content: z.string() })),
  mutants: z.array(mutantSchema),
});
type MadeMutant = z.infer<typeof mutantSchema>;

/** A change of one token. */
export interface Mutant {
  readonly id: string;
  /** Path from the root of the checkout, and the line from 1. */
  readonly file: string;
  readonly line: number;
  readonly kind: string;
  readonly original: string;
  readonly replacement: string;
}

/** The mutants of a room, and the sources that contain all of them. */
export interface MadeMutants {
  readonly mutants: readonly Mutant[];
  /** Path of the instrumented text, by path of the source. */
  readonly instrumented: Readonly<Record<string, string>>;
}

interface Instrumenter {
  instrument(files: readonly object[], options: object): Promise<unknown>;
}
type InstrumenterClass = new (logger: object) => Instrumenter;

/** It is installed beside this file alone, so it has no types here. */
async function loadInstrumenter(): Promise<Instrumenter> {
  const name = '@stryker-mutator/instrumenter';
  const loaded = (await import(name)) as { readonly Instrumenter: InstrumenterClass };
  const silent = { isDebugEnabled: () => false, debug() {}, info() {}, warn() {} };
  return new loaded.Instrumenter(silent);
}

/** Makes the mutants of a room, and writes the instrumented sources below `folder`. */
export async function makeMutants(room: Room, folder: string): Promise<MadeMutants> {
  const files = sourcesOf(room).map((file) => {
    const name = join(ROOT, file);
    return { name, mutate: true, content: readFileSync(name, 'utf8') };
  });
  const instrumenter = await loadInstrumenter();
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const made = resultSchema.parse(await instrumenter.instrument(files, options));
  const instrumented: Record<string, string> = {};
  for (const { name, content } of made.files) {
    const path = join(folder, name.slice(ROOT.length));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    instrumented[name] = path;
  }
  const texts = new Map(files.map(({ name, content }) => [name, content]));
  return { instrumented, mutants: made.mutants.map((mutant) => describe(mutant, texts)) };
}

/** Returns the sources of a room, without tests and their helpers. */
export function sourcesOf(room: Room): readonly string[] {
  return globSync(room.sources, { cwd: ROOT })
    .filter((file) => !/\.test(-d)?\.ts$|\/test-[^/]*$/u.test(file))
    .toSorted();
}

/** Returns the suites of a room: units first, properties and processes last. */
export function suitesOf(room: Room): readonly string[] {
  const rank = (file: string): number =>
    (file.startsWith('test/') ? 2 : 0) + Number(file.includes('.property.'));
  return globSync(room.tests, { cwd: ROOT })
    .toSorted((one, other) => rank(one) - rank(other) || one.localeCompare(other))
    .map((file) => join(ROOT, file));
}

function describe(mutant: MadeMutant, texts: ReadonlyMap<string, string>): Mutant {
  const { start, end } = mutant.location;
  const lines = (texts.get(mutant.fileName) ?? '').split('\n').slice(start.line, end.line + 1);
  const last = lines.length - 1;
  // The end first, because both can be on one line.
  lines[last] = lines[last]?.slice(0, end.column) ?? '';
  lines[0] = lines[0]?.slice(start.column) ?? '';
  return {
    id: mutant.id,
    file: mutant.fileName.slice(ROOT.length + 1),
    line: start.line + 1,
    kind: mutant.mutatorName,
    original: lines.join('\n'),
    replacement: mutant.replacement,
  };
}
