/**
 * Commands that connect a model at the start of a server: its key belongs to the environment of the process.
 */
import { useState, type ReactNode } from 'react';
import { CopyIcon } from '../parts/copy-icon.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLostAt } from '../session/connection.ts';

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

/** Renders the steps. */
export function ConnectWays(): ReactNode {
  const [chosen, setChosen] = useState(WAYS[0]?.name);
  const way = WAYS.find(({ name }) => name === chosen) ?? WAYS[0];
  if (way === undefined) return null;
  const port = location.port === USUAL_PORT || location.port === '' ? '' : ` --port ${location.port}`;
  const command = `${way.before}npx --no truecast serve${port}${way.options ?? ''}`;
  return (
    <div className="space-y-3 px-4 py-4">
      <div className="segments max-w-full flex-wrap" role="group" aria-label="Model of the command">
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
