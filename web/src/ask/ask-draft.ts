/** Draft of the Ask page: the question with its model, title, limits and tools, kept for the session. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import type { DynamicTool } from '@truecast/client/internal/wire/chat';
import { asRecord } from '../json/describe-schema.ts';
import { keepQuestion, readQuestion, type AskedQuestion, type Question } from '../question/question.ts';
import type { FilePart } from '@truecast/client/internal/wire/message-parts';
import { filledMessage } from './variables.ts';

/** Further members of the question, as the form contains them. */
interface AskSettings {
  /** Empty for the server's default model. */
  readonly model: string;
  readonly title: string;
  readonly maxRepairs: string;
  readonly deadline: string;
  /** `yes` for a turn that ends with a plan. */
  readonly plan: string;
  /** JSON of a list of tools. */
  readonly tools: string;
  /** The request that the question was copied from. */
  readonly from: string;
  /** `yes` for a question of the library, whose `{{name}}` are variables. */
  readonly kept: string;
  /** JSON of an object with the values of these variables. */
  readonly values: string;
}

/** The form's contents. */
export interface AskDraft extends Question, AskSettings {}

const KEY = 'truecast-ask';
const NO_SETTINGS: AskSettings = {
  model: '',
  title: '',
  maxRepairs: '',
  deadline: '',
  plan: '',
  tools: '',
  from: '',
  kept: '',
  values: '',
};

/** Returns the kept draft. The start page shares the question. */
export function readDraft(): AskDraft {
  const kept = jsonValueOf(sessionStorage.getItem(KEY) ?? '{}');
  const settings = Object.keys(NO_SETTINGS).map((name) => {
    const value = asRecord(kept)?.[name];
    return [name, typeof value === 'string' ? value : ''] as const;
  });
  return { ...readQuestion(), ...NO_SETTINGS, ...Object.fromEntries(settings) };
}

export function keepDraft({ message, name, schemaText, ...settings }: AskDraft): void {
  keepQuestion({ message, name, schemaText });
  sessionStorage.setItem(KEY, JSON.stringify(settings));
}

/** Problems of a draft, by the field that causes them. */
export type DraftProblems = Partial<Record<keyof AskDraft | 'files', string>>;

const MAX_REPAIRS = 5;
const MAX_DEADLINE = 86_400;

/**
 * Returns the problems for which the server would reject the draft, without those of the schema.
 */
export function problemsOf(draft: AskDraft): DraftProblems {
  const { name, maxRepairs, deadline, tools, plan } = draft;
  const wrong = {
    name: plan === '' && !/^[A-Za-z0-9_-]{1,64}$/u.test(name) && NAME_RULE,
    maxRepairs: !isWithin(maxRepairs, MAX_REPAIRS) && `Expected a whole number from 1 to ${MAX_REPAIRS}.`,
    deadline: !isWithin(deadline, MAX_DEADLINE) && 'Expected whole seconds from 1 to 86,400 (one day).',
    tools: toolsOf(tools) === undefined && TOOLS_RULE,
  };
  return Object.fromEntries(Object.entries(wrong).filter(([, text]) => text !== false));
}

const NAME_RULE = 'Expected 1 to 64 letters, digits, underscores and hyphens.';
const TOOLS_RULE = 'Expected a JSON list of tools, each with a `name` and an `input_schema`.';

function isWithin(text: string, maximum: number): boolean {
  return text === '' || (/^\d+$/u.test(text) && Number(text) >= 1 && Number(text) <= maximum);
}

/** Parses tools. Undefined for any other text. */
function toolsOf(text: string): readonly DynamicTool[] | undefined {
  if (text.trim() === '') return [];
  const value = jsonValueOf(text);
  if (!Array.isArray(value)) return undefined;
  const tools = value.flatMap((each: unknown) => toTool(each) ?? []);
  return tools.length === value.length ? tools : undefined;
}

function toTool(value: unknown): DynamicTool | undefined {
  const { name, description, input_schema } = asRecord(value) ?? {};
  const schema = asRecord(input_schema);
  if (typeof name !== 'string' || schema === undefined) return undefined;
  return { name, input_schema: schema, ...(typeof description === 'string' && { description }) };
}

export function askedOf(draft: AskDraft, files: readonly AttachedFile[] = []): AskedQuestion {
  const { message, name, schemaText, model, title, plan, tools, maxRepairs, deadline } = draft;
  const limits = {
    ...(maxRepairs !== '' && { max_repairs: Number(maxRepairs) }),
    ...(deadline !== '' && { deadline_seconds: Number(deadline) }),
  };
  return {
    message: filledMessage(draft),
    template: message,
    name,
    schemaText,
    model: model || undefined,
    title: title.trim() || undefined,
    isPlan: plan !== '',
    tools: toolsOf(tools),
    limits: Object.keys(limits).length > 0 ? limits : undefined,
    files: files.map(toPart),
  };
}

export interface AttachedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Base64. */
  readonly data: string;
}

/** The server refuses a body over 1 MiB unless it is configured otherwise. Base64 adds a third. */
const MAX_FILE_BYTES = 700_000;
const FALLBACK_TYPE = 'application/octet-stream';
/** Arguments of one call. */
const CHUNK = 8_192;

export function readFiles(files: Iterable<File>): Promise<readonly AttachedFile[]> {
  return Promise.all(
    Array.from(files, async (file) => ({
      name: file.name,
      mediaType: file.type === '' ? FALLBACK_TYPE : file.type,
      bytes: file.size,
      data: toBase64(new Uint8Array(await file.arrayBuffer())),
    })),
  );
}

/** Returns the problem of files that the server would refuse. Undefined without one. */
export function filesProblem(files: readonly AttachedFile[]): string | undefined {
  const empty = files.find(({ bytes }) => bytes === 0);
  if (empty !== undefined) return `${empty.name} is empty. Remove it.`;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= MAX_FILE_BYTES) return undefined;
  return `The files have ${kilobytes(bytes)} together. A request takes ${kilobytes(MAX_FILE_BYTES)}. Remove one.`;
}

function toPart({ name, mediaType, data }: AttachedFile): FilePart {
  return { type: 'file', media_type: mediaType, filename: name, data };
}

/** Formats a size. */
export function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000).toLocaleString('en')} kB`;
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}
