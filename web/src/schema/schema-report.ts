/** Report about a schema while it is typed: problems and losses, each at its line. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { findJsonError } from '@truecast/core/internal/json/parse-json';
import { useEffect, useState } from 'react';
import type { RemovedPart } from '@truecast/core/internal/schema/dialects/impossible/remove-impossible';
import type { DialectReport, DryRun } from '@truecast/server/internal/format/dry-run';
import { lineOf, pointerLines } from '../json/json-positions.ts';
import { pointerKey } from '../json/pointer-key.ts';

/** A problem, a part that no value fits, or a loss at a provider. */
export interface ReportMark {
  readonly line: number;
  readonly pointer: string;
  readonly text: string;
  /** True if the server refuses the schema. */
  readonly isProblem: boolean;
  /** True if an answer must leave the part out. @default false */
  readonly isImpossible?: true;
}

/** Results of the checks of a text. */
export interface SchemaReport {
  readonly text: string;
  readonly marks: readonly ReportMark[];
  readonly dialects: readonly DialectReport[];
}

const DELAY_MS = 150;
const FIELD = 'response_format.json_schema.schema';

/**
 * Returns the report of a schema, 150 ms after its last change. It is created by the same code as
 * on the server.
 */
export function useSchemaReport(name: string, text: string, isActive: boolean): SchemaReport | undefined {
  const [report, setReport] = useState<SchemaReport>();
  useEffect(() => {
    if (!isActive) return undefined;
    let isLatest = true;
    const timer = setTimeout(() => {
      void readReport(name, text).then((made) => {
        if (isLatest) setReport(made);
      });
    }, DELAY_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [name, text, isActive]);
  return report;
}

async function readReport(name: string, text: string): Promise<SchemaReport> {
  const broken = syntaxMark(text);
  if (broken !== undefined) return { text, marks: [broken], dialects: [] };
  const [{ dryRunFormat }, { removeImpossible }] = await Promise.all([
    import('@truecast/server/internal/format/dry-run'),
    import('@truecast/core/internal/schema/dialects/impossible/remove-impossible'),
  ]);
  // A concatenation, so that repeated keys of the text stay visible.
  const format = `{"type":"json_schema","json_schema":{"name":${JSON.stringify(name)},"schema":${text}}}`;
  const { problems, dialects } = await dryRunFormat(format, () => Promise.resolve());
  const removed = problems.length > 0 ? [] : removeImpossible(JSON.parse(text));
  return { text, dialects, marks: marksOf(text, problems, dialects, removed) };
}

function marksOf(
  text: string,
  problems: DryRun['problems'],
  dialects: DryRun['dialects'],
  removed: readonly RemovedPart[],
): readonly ReportMark[] {
  const lines = pointerLines(text);
  const found = problems.map(({ field, detail, pointer = '' }) => ({
    line: lineOf(lines, pointer),
    pointer: field === FIELD ? pointer : field,
    text: detail,
    isProblem: true,
  }));
  const losses = new Map<string, ReportMark>();
  for (const { pointer, keyword } of dialects.flatMap((dialect) => dialect.losses)) {
    const mark = {
      line: lineOf(lines, pointer),
      pointer,
      text: `Not enforced by every provider: ${keyword}`,
    };
    losses.set(pointer, { ...mark, isProblem: false });
  }
  // Providers are not asked for these parts. A model that fills one is refused.
  for (const { path, why } of removed) {
    const pointer = path.map((key) => `/${pointerKey(String(key))}`).join('');
    const text = `No value fits here: ${why}. Correct it, or remove this part.`;
    losses.set(pointer, {
      line: lineOf(lines, pointer),
      pointer,
      text,
      isProblem: false,
      isImpossible: true,
    });
  }
  return [...found, ...losses.values()];
}

/** Mark of a text that is not JSON, at its first error. */
function syntaxMark(text: string): ReportMark | undefined {
  const message = messageOf(text);
  if (message === undefined) return undefined;
  const line = text.slice(0, findJsonError(text).offset).split('\n').length;
  const words = message.replace(/ in JSON at position.*| \(line \d+ column \d+\)|, (?:\.{3})?".*/su, '');
  return { line, pointer: '', text: `Is not JSON. ${words}.`, isProblem: true };
}

function messageOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function isJson(text: string): boolean {
  return jsonValueOf(text) !== undefined;
}
