/** Panel of one answer: its shape, the growing draft, refusals, and the sealed value. */
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Receipt } from '@truecast/client';
import { CopyButton } from '../parts/copy-button.tsx';
import { clockTime, count, duration, money } from '../parts/format.ts';
import { describeAttempt, describeMechanism } from './describe-attempt.ts';
import { parseSchema } from './describe-schema.ts';
import { ValueTree } from './value-tree.tsx';
import { answerView, type AnswerAttempt, type AnswerState } from './value-state.ts';

interface ValuePanelProps {
  readonly name: string;
  readonly schemaText: string;
  readonly attempts: readonly AnswerAttempt[];
  readonly receipt?: Receipt | undefined;
  readonly draft?: unknown;
  /** When the request ended. */
  readonly sealedAt?: string | undefined;
  /** Address of the receipt's page. */
  readonly receiptHref?: string;
}

const LOOK: Readonly<
  Record<AnswerState, { readonly edge: string; readonly sign: string; readonly word: string }>
> = {
  waiting: { edge: 'border-line', sign: 'text-muted', word: 'waiting' },
  draft: { edge: 'border-dashed border-warn', sign: 'text-warn', word: 'draft, not validated' },
  refused: { edge: 'border-bad', sign: 'text-bad', word: '× refused, trying again' },
  valid: { edge: 'border-ok animate-seal', sign: 'text-ok', word: '✓ valid' },
  failed: { edge: 'border-bad', sign: 'text-bad', word: '× failed' },
  canceled: { edge: 'border-line', sign: 'text-muted', word: 'canceled' },
};

/** Renders the panel. A draft is never green, and cannot be copied. */
export function ValuePanel(props: ValuePanelProps): ReactNode {
  const { name, schemaText, attempts, receipt, draft } = props;
  const [isJson, setJson] = useState(false);
  const { state, value, issues } = answerView(receipt, attempts, draft);
  const look = LOOK[state];
  const text = receipt?.value_text;
  return (
    <section
      aria-label={`Answer ${name}`}
      data-state={state}
      className={`overflow-hidden rounded-md border-2 bg-raised ${look.edge}`}
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5">
        <h2 className="font-semibold">{name}</h2>
        <span className={`text-sm font-medium ${look.sign}`}>{look.word}</span>
        {text !== undefined && (
          <span className="ml-auto flex items-center gap-1">
            <button
              className="button button-quiet min-h-7 px-2 text-sm"
              aria-pressed={isJson}
              onClick={() => setJson(!isJson)}
            >
              {isJson ? 'Tree' : 'JSON'}
            </button>
            <CopyButton text={text} label="Copy value" />
          </span>
        )}
      </header>
      <div
        className="max-h-[60dvh] overflow-auto px-4 py-2"
        tabIndex={0}
        aria-label={`Value of ${name}`}
        role="group"
      >
        {isJson && text !== undefined ? (
          <pre className="py-1 break-words whitespace-pre-wrap">{indented(text)}</pre>
        ) : (
          <ValueTree schema={parseSchema(schemaText)} value={value} issues={issues} />
        )}
      </div>
      {receipt?.error !== undefined && (
        <p className="border-t border-line bg-bad-soft px-4 py-2.5 text-bad">{receipt.error.message}</p>
      )}
      <Attempts attempts={attempts} />
      <Facts {...props} />
    </section>
  );
}

/** Whitespace only: the digits of numbers stay. */
function indented(text: string): string {
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/gu, (token) => {
    if (token.startsWith('"')) return token;
    if (token === ',') return `,${line()}`;
    if (token === ':') return ': ';
    if (token === '{' || token === '[') {
      depth += 1;
      return `${token}${line()}`;
    }
    depth -= 1;
    return `${line()}${token}`;
  });
}

function Attempts({ attempts }: { readonly attempts: readonly AnswerAttempt[] }): ReactNode {
  const refused = attempts.filter(({ attempt }) => attempt.code !== 'ok');
  if (refused.length === 0) return null;
  return (
    <ol className="border-t border-line px-4 py-2 text-sm" aria-label="Refused attempts">
      {refused.map(({ attempt, value }, index) => (
        // Attempts have no identity beside their order.
        <li key={index} className="py-0.5">
          <details>
            <summary className="text-bad">
              <span aria-hidden="true">× </span>attempt {index + 1}: {describeAttempt(attempt)}
            </summary>
            <pre className="mt-1 mb-2 max-h-60 overflow-auto rounded-sm bg-sunken p-2 whitespace-pre-wrap text-ink">
              {value === undefined ? 'No value was submitted.' : JSON.stringify(value, undefined, 2)}
            </pre>
          </details>
        </li>
      ))}
    </ol>
  );
}

function Facts({ receipt, attempts: { length }, sealedAt, receiptHref }: ValuePanelProps): ReactNode {
  if (receipt === undefined) return null;
  const { usage, duration_ms, mechanism, value_hash } = receipt;
  const facts = [
    length > 0 ? `${length} ${length === 1 ? 'attempt' : 'attempts'}` : '',
    usage === undefined ? '' : `${count(usage.input_tokens + usage.output_tokens)} tokens`,
    usage?.cost_usd === undefined ? '' : money(usage.cost_usd),
    duration_ms === undefined ? '' : duration(duration_ms),
    mechanism === undefined ? '' : describeMechanism(mechanism),
  ].filter((fact) => fact !== '');
  const isEnded = receipt.status !== 'queued' && receipt.status !== 'running';
  if (!isEnded && facts.length === 0) return null;
  return (
    <footer className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line bg-sunken px-4 py-2 text-sm text-muted">
      <span>{facts.join(' · ')}</span>
      {value_hash !== undefined && (
        <span title={`SHA-256 of the value: ${value_hash}`}>
          sealed {sealedAt === undefined ? '' : clockTime(sealedAt)}{' '}
          <code className="text-sm">{value_hash.slice(0, 8)}</code>
        </span>
      )}
      {isEnded && receiptHref !== undefined && (
        <Link className="ml-auto text-accent underline" href={receiptHref}>
          Receipt
        </Link>
      )}
    </footer>
  );
}
