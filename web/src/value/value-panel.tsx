/** Panel of one answer: its shape, the growing draft, refusals, and the sealed value. */
import { useMemo, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Receipt } from '@truecast/client';
import { Icon, type IconName } from '../parts/icon.tsx';
import { CodeText } from '../parts/code/text-panel.tsx';
import { CopyButton, useCopy } from '../parts/code/copy-button.tsx';
import { countText, duration, money, plural } from '../parts/format.ts';
import { describeMode, describeAttempt } from './describe-attempt.ts';
import { progressOf, answerView, type AnswerAttempt, type ShownAnswerState } from './value-state.ts';
import { parseSchema, type DescribedSchema } from '../json/describe-schema.ts';
import { JsonTree } from './json-tree.tsx';
import { Seal, SealSign } from './seal.tsx';
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
  /** True if the page lists the attempts elsewhere, and has no transcript that ends with the error. @default false */
  readonly hidesAttempts?: boolean;
}

/** Renders the panel. A draft is never green, and cannot be copied. */
export function AnswerPanel(props: ValuePanelProps): ReactNode {
  const { name, schemaText, attempts, receipt, draft, sealedAt, receiptHref, hidesAttempts } = props;
  const [view, setView] = useState<'tree' | 'json' | 'find'>('tree');
  const toggle = (other: 'json' | 'find'): void => setView(view === other ? 'tree' : other);
  const { state, value, issues } = useMemo(
    () => answerView(receipt, attempts, draft),
    [receipt, attempts, draft],
  );
  const schema = useMemo(() => parseSchema(schemaText), [schemaText]);
  const text = receipt?.value_text;
  const label = `Value of ${name}`;
  const progress = state === 'draft' ? progressOf(schema, value) : undefined;
  return (
    <section aria-label={`Answer ${name}`} data-state={state} className="answer">
      <Head name={name} state={state} note={noteOf(props, state, progress)} />
      {view === 'json' && text !== undefined ? (
        <JsonTree label={label} schema={schema} value={value} />
      ) : (
        // Without both there is no row to draw.
        (schemaText !== '' || value !== undefined) && (
          <ValueTree
            label={label}
            schema={schema}
            value={value}
            issues={issues}
            isFinal={state === 'valid'}
            isFinding={view === 'find' && text !== undefined}
          />
        )
      )}
      {hidesAttempts === true && receipt?.error !== undefined && (
        <p className="border-t border-line bg-bad-soft px-4 py-2.5 text-bad">
          <CodeText text={receipt.error.message} />
        </p>
      )}
      {hidesAttempts !== true && <RefusedAttempts attempts={attempts} />}
      <Facts {...props} />
      {text !== undefined && (
        <div className="flex flex-wrap items-center gap-1 border-t border-line bg-well px-2 py-1">
          <ViewButton name="JSON" icon="braces" isOn={view === 'json'} onClick={() => toggle('json')} />
          <ViewButton name="Find" icon="search" isOn={view === 'find'} onClick={() => toggle('find')} />
          <CopyButton text={text} label="Copy value" />
          <CopyType name={name} schema={schema} />
        </div>
      )}
      {receipt?.value_hash !== undefined && (
        <Seal hash={receipt.value_hash} at={sealedAt} href={receiptHref} />
      )}
    </section>
  );
}

interface ViewProps {
  readonly name: string;
  readonly icon: IconName;
  readonly isOn: boolean;
  readonly onClick: () => void;
}

/** Shows the value in another way, or again as a tree. */
function ViewButton({ name, icon, isOn, onClick }: ViewProps): ReactNode {
  return (
    <button
      type="button"
      className="button button-quiet px-2 text-xs aria-pressed:text-accent-ink @2xl:min-h-7"
      aria-pressed={isOn}
      onClick={onClick}
    >
      <Icon name={icon} className="size-3.5" />
      {name}
    </button>
  );
}

/** Icon, word and class of the badge. The edge of the card follows its state. */
const LOOK: Readonly<
  Record<ShownAnswerState, { readonly icon: IconName; readonly badge: string; readonly word: string }>
> = {
  waiting: { icon: 'queued', badge: '', word: 'waiting' },
  draft: { icon: 'draft', badge: 'badge-live', word: 'draft' },
  refused: { icon: 'refused', badge: 'badge-bad', word: 'refused' },
  valid: { icon: 'valid', badge: 'badge-ok', word: 'valid' },
  failed: { icon: 'failed', badge: 'badge-bad', word: 'failed' },
  canceled: { icon: 'stopped', badge: '', word: 'canceled' },
};

interface HeadProps {
  readonly name: string;
  readonly state: ShownAnswerState;
  readonly note: string;
}

function Head({ name, state, note }: HeadProps): ReactNode {
  const look = LOOK[state];
  return (
    <header className="flex items-center gap-x-3 border-b border-line px-4 pt-3.5 pb-2.5">
      {state === 'valid' ? (
        <SealSign />
      ) : (
        <span className="grid size-[34px] shrink-0 place-items-center rounded-full border border-dashed border-edge text-muted">
          <Icon name="braces" />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <h2 className="truncate font-mono text-base font-semibold">{name}</h2>
        <p className="truncate text-xs text-muted">{note}</p>
      </div>
      <span className={`badge ${look.badge}`}>
        <Icon name={look.icon} className="size-3.5" />
        {look.word}
      </span>
    </header>
  );
}

/** An accepted text has no attempt in the transcript. The receipt has each. */
function countOf({ attempts, receipt }: ValuePanelProps): number {
  return Math.max(attempts.length, receipt?.attempts.length ?? 0);
}

/** One line below the name: the progress of a draft, or the attempt with the valid value. */
function noteOf(props: ValuePanelProps, state: ShownAnswerState, progress: string | undefined): string {
  const { attempts } = props;
  const length = countOf(props);
  if (state === 'valid') return length > 0 ? `valid at attempt ${length}` : 'valid';
  if (state === 'draft') return ['not validated', progress].filter(Boolean).join(' · ');
  if (state === 'refused') return `attempt ${length} refused, trying again`;
  if (state === 'failed') return `no valid answer after ${plural(length, 'attempt')}`;
  return state === 'waiting' && attempts.at(-1)?.attempt.code === 'ok' ? 'accepted, not sealed yet' : state;
}

function Facts(props: ValuePanelProps): ReactNode {
  const { receipt, receiptHref } = props;
  if (receipt === undefined) return null;
  const length = countOf(props);
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
    <footer className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line bg-well px-4 py-2 text-xs text-muted">
      <span>{facts.join(' · ')}</span>
      {isUnsealed && receiptHref !== undefined && (
        <span className="ml-auto flex gap-4">
          <Link className="text-accent-ink underline" href={`/ask?from=${receipt.request_id}`}>
            Ask again with …
          </Link>
          <Link className="text-accent-ink underline" href={receiptHref}>
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
      className="button button-quiet px-2 text-xs @2xl:min-h-7"
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
              <span aria-hidden="true">× </span>attempt {index + 1}:{' '}
              <CodeText text={describeAttempt(attempt, value)} />
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
      className="mt-2 mb-1 max-h-60 overflow-auto rounded-sm bg-well p-3 break-words whitespace-pre-wrap text-ink"
      tabIndex={0}
      role="group"
      aria-label="Submitted value"
    >
      {JSON.stringify(value, undefined, 2)}
    </pre>
  );
}
