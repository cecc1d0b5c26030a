/**
 * Script of `truecast mock`: invalid answers first, then a sample that fits the requested schema.
 */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { sampleValue } from '@truecast/core/internal/schema/sample/sample-value';
import { readToldType } from './told/read-told-type.ts';
import type { ScriptStep } from '@truecast/testing/internal/scripted-model/model-script';
import { reply, type ScriptedReply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import type { ScriptedTurn } from '@truecast/testing/internal/scripted-model/turn/scripted-turn';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';

/** A complete tag of a prompt that the user wrote: its example of the answer, which is never echoed. */
const EXAMPLE = /<([A-Za-z_][\w.-]*)>([^<]*)<\/\1>/gu;
/** The tag in an instruction for the answer. Its sample does not count as an answer. */
const TAG = /answer between <([A-Za-z_][\w.-]*)> and <\/\1>/gu;
/** Text before the type in an instruction for the answer. */
const TYPE = /, of this type(?:, with no other keys)?:\n/gu;
const ANY_TAG = /<\/?([A-Za-z_][\w.-]*)>/gu;
const WRONG = 'not an answer of the requested form';

/** Creates the script. `wrong` answers of each conversation do not fit the schema. */
export function sampleScript(wrong: number): ScriptStep {
  return (turn) => {
    const isWrong = wrongAnswersOf(turn) < wrong;
    const finalizer = turn.tools.find(({ name }) => name.endsWith(FINALIZER_NAME));
    if (finalizer !== undefined && isJsonSchema(finalizer.inputSchema)) {
      return submit(turn, finalizer.name, isWrong ? { wrong: WRONG } : sampleValue(finalizer.inputSchema));
    }
    if (isJsonSchema(turn.jsonSchema)) {
      return reply.json(isWrong ? { wrong: WRONG } : sampleValue(turn.jsonSchema));
    }
    const texts = userTexts(turn);
    const schema = schemaIn(texts);
    const [, tag, shown = ''] = (schema === undefined ? exampleIn(texts) : tagIn(texts)) ?? [];
    if (tag === undefined) return reply.text(echoOf(turn.userText));
    const example = JSON.stringify(schema === undefined ? otherThan(shown) : sampleValue(schema));
    return reply.text(`<${tag}>${isWrong ? wrongFor(example) : example}</${tag}>`);
  };
}

/** A submission that was accepted ends the conversation. */
function submit(turn: ScriptedTurn, name: string, input: JsonValue): ScriptedReply {
  const isAccepted = turn.lastToolResult !== undefined && !turn.lastToolResult.isError;
  return isAccepted ? reply.text('Done.') : reply.tool(name, input);
}

/** Wrong answers that were already given in this conversation. */
function wrongAnswersOf({ messages }: ScriptedTurn): number {
  return messages.filter(({ role, parts }) => role === 'assistant' && JSON.stringify(parts).includes(WRONG))
    .length;
}

/** An echoed tag would be read as an answer. */
function echoOf(text: string): string {
  const echo = text.replaceAll(ANY_TAG, '`$1`');
  const hint =
    echo === text
      ? ''
      : ' No schema is in the prompt: add `Output.instructions(output)` to it, or leave `tag` out.';
  return `This is the scripted model of \`truecast mock\`.${hint} You said: ${echo}`;
}

function userTexts({ messages }: ScriptedTurn): readonly string[] {
  const asked = messages.filter(({ role }) => role === 'user').flatMap(({ parts }) => parts);
  return asked.map((part) => (part.type === 'text' ? part.text : ''));
}

function exampleIn(texts: readonly string[]): RegExpMatchArray | undefined {
  return texts.flatMap((text) => [...text.matchAll(EXAMPLE)]).findLast(([, , body = '']) => isAnswer(body));
}

function tagIn(texts: readonly string[]): RegExpMatchArray | undefined {
  return texts.flatMap((text) => [...text.matchAll(TAG)]).at(-1);
}

function schemaIn(texts: readonly string[]): unknown {
  return texts
    .flatMap((text) => [...text.matchAll(TYPE)].map((match) => text.slice(match.index + match[0].length)))
    .map((text) => readToldType(text))
    .findLast((schema) => schema !== undefined);
}

/** A prompt that the user wrote has no schema. The answer is a value like its example, but another one. */
function otherThan(example: string): JsonValue {
  const parsed = parseJson(example.trim());
  return changed(parsed.success ? (parsed.value as JsonValue) : example);
}

/** Reminders of agent CLIs are in tags too. Only the example of an answer is JSON. */
function isAnswer(body: string): boolean {
  return parseJson(body.trim()).success;
}

/**
 * Returns a list if the example is a string, else a string. Neither fits the schema of the example.
 */
function wrongFor(example: string): string {
  return JSON.stringify(example.trimStart().startsWith('"') ? [WRONG] : WRONG);
}

/** Returns true for an object, which a client posted as a JSON Schema. */
function isJsonSchema(value: unknown): value is Exclude<JsonSchema, boolean> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a copy in which the first number differs, else the first boolean, else the first string. */
function changed(value: JsonValue): JsonValue {
  for (const type of ['number', 'boolean', 'string'] as const) {
    const copy = changeFirst(value, type);
    if (copy !== undefined) return copy;
  }
  return value === null ? 'sample' : null;
}

/** Returns undefined if the type has no leaf. */
function changeFirst(value: JsonValue, type: 'number' | 'boolean' | 'string'): JsonValue | undefined {
  if (typeof value === 'number') return type === 'number' ? value + 1 : undefined;
  if (typeof value === 'boolean') return type === 'boolean' ? !value : undefined;
  if (typeof value === 'string') return type === 'string' ? `${value} (sample)` : undefined;
  if (value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const copy = changeFirst(member, type);
    if (copy === undefined) continue;
    return Array.isArray(value)
      ? value.map((item, index) => (String(index) === key ? copy : item))
      : { ...value, [key]: copy };
  }
  return undefined;
}
