/** Panel of one answer: its shape, the growing draft, refusals, and the sealed value. */
import { useMemo, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Receipt } from '@truecast/client';
import { CodeText } from '../parts/code/text-panel.tsx';
import { CopyButton, useCopy } from '../parts/code/copy-button.tsx';
import { countText, duration, money } from '../parts/format.ts';
import { describeMode, describeAttempt } from './describe-attempt.ts';
import { ANSWER_LOOK, progressOf, answerView, type AnswerAttempt } from './value-state.ts';
import { parseSchema, type DescribedSchema } from '../json/describe-schema.ts';
import { indentJson } from '../json/indent-json.ts';
import { Seal } from './seal.tsx';
import { ValueTree } from './value-tree.tsx';

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
  /** True if the page lists the attempts elsewhere. @default false */
  readonly hidesAttempts?: boolean;
}

/** Renders the panel. A draft is never green, and cannot be copied. */
export function AnswerPanel(props: ValuePanelProps): ReactNode {
  const { name, schemaText, attempts, receipt, draft, sealedAt, receiptHref, hidesAttempts } = props;
  const [isJson, setJson] = useState(false);
  const { state, value, issues } = answerView(receipt, attempts, draft);
  const schema = useMemo(() => parseSchema(schemaText), [schemaText]);
  const look = ANSWER_LOOK[state];
  const text = receipt?.value_text;
  const progress = state === 'draft' ? progressOf(schema, value) : undefined;
  return (
    <section
      aria-label={`Answer ${name}`}
      data-state={state}
      className={`overflow-hidden rounded-md border-2 bg-raised ${look.edge}`}
    >
      <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5 max-md:pt-3">
        <h2 className="font-semibold">{name}</h2>
        <span className={`rounded-sm px-1.5 py-0.5 text-sm font-medium ${look.sign}`}>{look.word}</span>
        {progress !== undefined && <span className="ml-auto text-sm text-muted">{progress}</span>}
        {text !== undefined && (
          <span className="flex items-center gap-1 max-md:-mx-2 max-md:w-full md:ml-auto">
            <button
              className="button button-quiet px-2 md:min-h-7 text-sm"
              aria-pressed={isJson}
              onClick={() => setJson(!isJson)}
            >
              JSON
            </button>
            <CopyButton text={text} label="Copy value" />
            <CopyType name={name} schema={schema} />
          </span>
        )}
      </header>
      <div
        className="max-h-[60dvh] overflow-auto px-4 py-2"
        tabIndex={0}
        data-key="v"
        aria-label={`Value of ${name}`}
        role="group"
      >
        {isJson && text !== undefined ? (
          <pre className="py-1 break-words whitespace-pre-wrap">{indentJson(text)}</pre>
        ) : (
          <ValueTree schema={schema} value={value} issues={issues} isFinal={state === 'valid'} />
        )}
      </div>
      {receipt?.error !== undefined && (
        <p className="border-t border-line bg-bad-soft px-4 py-2.5 text-bad">
          <CodeText text={receipt.error.message} />
        </p>
      )}
      {hidesAttempts !== true && <RefusedAttempts attempts={attempts} />}
      <Facts {...props} />
      {receipt?.value_hash !== undefined && (
        <Seal hash={receipt.value_hash} at={sealedAt} href={receiptHref} />
      )}
    </section>
  );
}

function Facts({ receipt, attempts: { length }, receiptHref }: ValuePanelProps): ReactNode {
  if (receipt === undefined) return null;
  const { usage, duration_ms, mode, status } = receipt;
  const facts = [
    length > 0 ? `${length} ${length === 1 ? 'attempt' : 'attempts'}` : '',
    usage === undefined ? '' : `${countText(usage.input_tokens + usage.output_tokens)} tokens`,
    usage?.cost_usd === undefined ? '' : money(usage.cost_usd),
    duration_ms === undefined ? '' : duration(duration_ms),
    mode === undefined ? '' : describeMode(mode),
  ].filter((fact) => fact !== '');
  const isUnsealed = status === 'failed' || status === 'canceled';
  if (!isUnsealed && facts.length === 0) return null;
  return (
    <footer className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line bg-sunken px-4 py-2 text-sm text-muted">
      <span>{facts.join(' · ')}</span>
      {isUnsealed && receiptHref !== undefined && (
        <span className="ml-auto flex gap-4">
          <Link className="text-accent underline" href={`/ask?from=${receipt.request_id}`}>
            Ask again with …
          </Link>
          <Link className="text-accent underline" href={receiptHref}>
            Receipt
          </Link>
        </span>
      )}
    </footer>
  );
}

interface TypeProps {
  /** Name of the answer. */
  readonly name: string;
  readonly schema: DescribedSchema;
}

/** Renders the button. The code that makes the type is loaded when it is pressed. */
function CopyType({ name, schema }: TypeProps): ReactNode {
  const [isCopied, copy] = useCopy();
  const onClick = async (): Promise<void> => {
    const { typeOfSchema } = await import('../typescript/type-of-schema.ts');
    copy(typeOfSchema(name, schema));
  };
  return (
    <button
      type="button"
      className="button button-quiet px-2 text-sm md:min-h-7"
      title="Copy the TypeScript type"
      onClick={() => void onClick()}
    >
      {isCopied ? 'Copied' : 'Copy type'}
    </button>
  );
}

interface ListProps {
  readonly attempts: readonly AnswerAttempt[];
}

/** Renders the refused attempts. Each opens to its value. */
function RefusedAttempts({ attempts }: ListProps): ReactNode {
  const refused = attempts.flatMap((each, index) => (each.attempt.code === 'ok' ? [] : [{ each, index }]));
  if (refused.length === 0) return null;
  return (
    <ol className="border-t border-line px-4 py-2 text-sm" aria-label="Refused attempts">
      {refused.map(({ each: { attempt, value }, index }) => (
        <li key={index} className="py-0.5">
          <details>
            <summary className="py-0.5 text-bad">
              <span aria-hidden="true">× </span>attempt {index + 1}: {describeAttempt(attempt, value)}
            </summary>
            <Submission value={value} />
          </details>
        </li>
      ))}
    </ol>
  );
}

function Submission({ value }: { readonly value: unknown }): ReactNode {
  if (value === undefined) return <p className="mt-1 text-sm text-muted">No value was submitted.</p>;
  return (
    <pre
      className="mt-2 mb-1 max-h-60 overflow-auto rounded-sm bg-sunken p-3 break-words whitespace-pre-wrap text-ink"
      tabIndex={0}
      role="group"
      aria-label="Submitted value"
    >
      {JSON.stringify(value, undefined, 2)}
    </pre>
  );
}
