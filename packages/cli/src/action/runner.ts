/**
 * Runner of workflows: its files for outputs and the summary, its log, and the commands that it reads from
 * the log. GitHub, Forgejo and Gitea have the same.
 */
import { randomUUID } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/**
 * Variables with which a program controls the rest of the job, or gets rights of it. An agent without a
 * sandbox would inherit them.
 */
const CONTROLS: readonly string[] = [
  'GITHUB_OUTPUT',
  'GITHUB_STEP_SUMMARY',
  'GITHUB_ENV',
  'GITHUB_PATH',
  'GITHUB_STATE',
  'ACTIONS_RUNTIME_TOKEN',
  'ACTIONS_RUNTIME_URL',
  'ACTIONS_CACHE_URL',
  'ACTIONS_RESULTS_URL',
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_URL',
];

/** A larger value is only in its file. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** GitHub's limit of a step's summary. */
const MAX_SUMMARY_BYTES = 1024 * 1024;

/** Level of an annotation. */
export type AnnotationLevel = 'error' | 'warning' | 'notice';

/** A message that the runner shows at a file and above the log. */
export interface Annotation {
  readonly level: AnnotationLevel;
  readonly title: string;
  readonly message: string;
  /** Path relative to the checkout. @default no file */
  readonly file?: string | undefined;
}

/** The runner of this process's step. */
export interface Runner {
  /** Log of the step. No line of it is a command. */
  readonly log: Writable;
  /** Writes an output. Returns false, and writes nothing, for a text of more than 1 MiB. */
  output(name: string, text: string): Promise<boolean>;
  /** Adds Markdown to the summary of the step. */
  summarize(markdown: string): Promise<void>;
  /** Ends the log, and shows the annotations after it. */
  end(annotations: readonly Annotation[]): Promise<void>;
}

/**
 * Takes over the step: removes the variables that control the job from `env`, and stops commands in the log.
 * Only `end()` starts them again, with a token that no agent knows.
 *
 * @throws UsageError without GITHUB_OUTPUT
 */
export function openRunner(env: NodeJS.ProcessEnv, stdout: NodeJS.WritableStream): Runner {
  const { GITHUB_OUTPUT: outputs, GITHUB_STEP_SUMMARY: summary } = env;
  if (outputs === undefined || outputs === '') {
    throw new UsageError(
      '`truecast action` writes its results to the file of GITHUB_OUTPUT, which is not set. Run it as a step of a workflow, or use `truecast run`.',
    );
  }
  for (const name of CONTROLS) delete env[name];
  const token = randomUUID();
  stdout.write(`::stop-commands::${token}\n`);
  const log = lineWriter(stdout);
  return {
    log,
    async output(name, text) {
      if (Buffer.byteLength(text) > MAX_OUTPUT_BYTES) return false;
      // Random, so that no text can contain its own end.
      const end = `end-${randomUUID()}`;
      await appendFile(outputs, `${name}<<${end}\n${text}\n${end}\n`);
      return true;
    },
    async summarize(markdown) {
      if (summary === undefined || summary === '') return;
      const isWhole = Buffer.byteLength(markdown) <= MAX_SUMMARY_BYTES;
      await appendFile(summary, isWhole ? `${markdown}\n` : 'The summary is too large to show.\n');
    },
    async end(annotations) {
      await new Promise<void>((resolve) => void log.end(resolve));
      const lines = [`::${token}::`, ...annotations.map(annotationLine)];
      await new Promise<void>((resolve) => void stdout.write(`${lines.join('\n')}\n`, () => resolve()));
    },
  };
}

/**
 * Writes whole lines, changed so that none begins a command. The runner stops commands already. This holds
 * where a runner does not know `stop-commands`.
 */
function lineWriter(stdout: NodeJS.WritableStream): Writable {
  let held = '';
  const decoder = new TextDecoder();
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = (held + decoder.decode(chunk, { stream: true })).split('\n');
      held = lines.pop() ?? '';
      stdout.write(lines.map((line) => `${withoutCommand(line)}\n`).join(''), () => done());
    },
    final(done) {
      if (held === '') done();
      else stdout.write(`${withoutCommand(held)}\n`, () => done());
    },
  });
}

/** Commands are `::name::` at the start of a line, and `##[name]` anywhere in it. */
function withoutCommand(line: string): string {
  return line.replaceAll('##[', '## [').replace(/^\s*::/u, ': :');
}

function annotationLine({ level, title, message, file }: Annotation): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${escapeProperty(file)}`]),
    `title=${escapeProperty(title)}`,
  ];
  return `::${level} ${properties.join(',')}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
