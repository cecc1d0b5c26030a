/**
 * Notice on a server without a model: answers are scripted, with the commands that connect a model. The
 * page asks for no key, because a key belongs to the environment of the server's process.
 */
import { useEffect, useState, type ReactNode, type RefObject } from 'react';
import type { ModelView } from '@truecast/client';
import { CopyIcon } from '../parts/copy-icon.tsx';
import { countText } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { ModelName } from '../parts/model-name.tsx';
import { useLostAt } from '../session/connection.ts';
import { describeMode } from '../value/describe-attempt.ts';

/** A kind of model, with the text that connects it. */
interface Way {
  readonly name: string;
  readonly about: string;
  /** Lines of a file, before the command. */
  readonly file?: { readonly name: string; readonly text: string };
  /** Assignments and options around `truecast serve`. */
  readonly before: string;
  readonly options?: string;
}

/** `read -s` shows no key, and keeps it out of the shell's history. */
function withKey(name: string, about: string, variable: string): Way {
  const shown = `Paste the key when the command waits: it is not shown, and not in the shell's history. ${about}`;
  return { name, about: shown, before: `read -rs ${variable} && export ${variable} && ` };
}

const FILE = `endpoints:
  fast:
    endpoint: http://127.0.0.1:11434/v1
    model: qwen3:8b
profiles:
  strong:
    provider: anthropic
    model: claude-sonnet-5-5
    prices: { input_usd_per_million: 3, output_usd_per_million: 15 }
`;

const WAYS: readonly Way[] = [
  withKey('Anthropic', 'Without --model, the model is claude-sonnet-5-5.', 'ANTHROPIC_API_KEY'),
  withKey('OpenAI', 'Without --model, the model is gpt-6.1-sol.', 'OPENAI_API_KEY'),
  withKey('Google', 'Without --model, the model is gemini-3.8-flash.', 'GOOGLE_GENERATIVE_AI_API_KEY'),
  {
    name: 'On this machine',
    about:
      'Ollama, LM Studio, vLLM, llama.cpp, and each other Chat Completions API. Add TRUECAST_API_KEY=… if its server needs a key.',
    before: 'TRUECAST_BASE_URL=http://127.0.0.1:11434/v1 TRUECAST_MODEL=… ',
  },
  {
    name: 'Several',
    about: 'A file describes each model, with prices and fallbacks. It contains no key.',
    file: { name: 'models.yaml', text: FILE },
    before: 'ANTHROPIC_API_KEY=… ',
    options: ' --models models.yaml',
  },
];

const USUAL_PORT = '4747';

export function isScripted(models: readonly ModelView[] | undefined): boolean {
  return models?.some(({ is_default, is_scripted }) => is_default && is_scripted) === true;
}

interface ConnectModelProps {
  readonly models: readonly ModelView[] | undefined;
  /** Gets the focus when a model is connected. */
  readonly button: RefObject<HTMLButtonElement | null>;
}

/** Renders the notice. When a model is connected while it is shown, it names the model. */
export function ConnectModel({ models, button }: ConnectModelProps): ReactNode {
  const isWithout = isScripted(models);
  const [wasWithout, setWithout] = useState(false);
  if (isWithout && !wasWithout) setWithout(true);
  const connected = wasWithout && !isWithout ? models?.find(({ is_default }) => is_default) : undefined;
  const id = connected?.id;
  useEffect(() => {
    if (id !== undefined) button.current?.focus({ preventScroll: true });
  }, [id, button]);
  if (connected !== undefined) return <Connected model={connected} />;
  if (!isWithout) return null;
  return (
    <details className="group mb-4 rounded-lg border border-warn-edge bg-warn-soft">
      <summary className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <span>
          <strong className="font-semibold text-warn">No model is connected.</strong> Answers are scripted to
          show how it works.
        </span>
        <span className="ml-auto font-medium text-warn underline">Connect a model</span>
      </summary>
      <Ways />
    </details>
  );
}

function Connected({
  model: { id, mode, context_tokens: context },
}: {
  readonly model: ModelView;
}): ReactNode {
  const facts = [mode && describeMode(mode), context && `${countText(context)} tokens of context`];
  return (
    <p
      role="status"
      className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-ok-edge bg-ok-soft px-4 py-3"
    >
      <Icon name="valid" className="size-4 text-ok" />
      <span className="font-semibold">
        <ModelName id={id} />
      </span>
      <span>is connected. Ask it the first question.</span>
      <span className="text-sm text-muted">{facts.filter(Boolean).join(' · ')}</span>
    </p>
  );
}

function Ways(): ReactNode {
  const [chosen, setChosen] = useState(WAYS[0]?.name);
  const way = WAYS.find(({ name }) => name === chosen) ?? WAYS[0];
  if (way === undefined) return null;
  const port = location.port === USUAL_PORT || location.port === '' ? '' : ` --port ${location.port}`;
  const command = `${way.before}npx --no truecast serve${port}${way.options ?? ''}`;
  return (
    <div className="space-y-3 rounded-b-lg border-t border-warn-edge bg-page px-4 py-4">
      <div className="segments max-w-full flex-wrap" role="group" aria-label="Kind of model">
        {WAYS.map(({ name }) => (
          <button key={name} type="button" aria-pressed={name === way.name} onClick={() => setChosen(name)}>
            {name}
          </button>
        ))}
      </div>
      <ol className="space-y-3 text-sm [&>li]:grid [&>li]:grid-cols-[20px_minmax(0,1fr)] [&>li]:gap-2">
        <Step number={1}>
          Stop the server with <kbd>Ctrl</kbd> <kbd>C</kbd> in its terminal. Your chats are kept.
        </Step>
        {way.file !== undefined && (
          <Step number={2}>
            Save as <code className="text-sm">{way.file.name}</code>:
            <Snippet isFile text={way.file.text} label={`Copy ${way.file.name}`} />
          </Step>
        )}
        <Step number={way.file === undefined ? 2 : 3}>
          Start it again. {way.about}
          <Snippet text={command} label="Copy the command" />
        </Step>
      </ol>
      <Waiting />
    </div>
  );
}

function Step({ number, children }: { readonly number: number; readonly children: ReactNode }): ReactNode {
  return (
    <li>
      <span aria-hidden="true" className="text-muted">
        {number}.
      </span>
      <div className="min-w-0">{children}</div>
    </li>
  );
}

interface SnippetProps {
  readonly text: string;
  readonly label: string;
  /** True for lines that must not wrap. @default false */
  readonly isFile?: boolean;
}

function Snippet({ text, label, isFile = false }: SnippetProps): ReactNode {
  return (
    <span className="mt-1.5 flex items-start gap-2 rounded-md border border-line bg-well py-1 pr-1 pl-3">
      <code
        {...(isFile && { tabIndex: 0 })}
        className={`min-w-0 flex-1 py-0.5 ${isFile ? 'overflow-x-auto whitespace-pre' : 'break-words whitespace-pre-wrap'}`}
      >
        {text.trimEnd()}
      </code>
      <CopyIcon text={text} label={label} />
    </span>
  );
}

/** Says whether the server still runs as before, or is away. Lists are read again when it is back. */
function Waiting(): ReactNode {
  const isAway = useLostAt() !== undefined;
  return (
    <p role="status" className="flex items-center gap-2 text-sm text-muted">
      <Icon name={isAway ? 'live' : 'queued'} className={isAway ? 'size-4 animate-spin' : 'size-4'} />
      {isAway
        ? 'The server is stopped. This page waits for it.'
        : 'This page waits for the new start. Your question then goes to the new model.'}
    </p>
  );
}
