/**
 * Attempts of a receipt: each with the text of the model, and the characters that determined the
 * result.
 */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { MessageView, Receipt } from '@truecast/client';
import { placedIssue } from '@truecast/core/internal/output/validate/describe-refusal';
import { CodeText } from '../parts/code/text-panel.tsx';
import { Skeleton } from '../parts/page.tsx';
import { useAddressFilters } from '../parts/list/select-field.tsx';
import { useClient } from '../session/use-client.ts';
import { describeAttempt, describeRepair } from '../value/describe-attempt.ts';
import { FieldList } from '../value/field-list.tsx';
import { SourceText } from '../value/source-text.tsx';
import { submissionText, type SubmissionText } from '../value/submission-text.ts';
import { valueOfSubmission } from '../value/value-state.ts';

interface SourcesProps {
  readonly chatId: string;
  readonly receipt: Receipt;
}

/** Maximum page size of the route. An answer has fewer steps. */
const MAX_MESSAGES = 200;

/** Renders the attempts in commit order. The stream leaves out accepted values, so messages are read. */
export function AttemptSources({ chatId, receipt: { attempts, value_text } }: SourcesProps): ReactNode {
  const client = useClient();
  const first = attempts.find(({ message_id }) => message_id !== undefined)?.message_id;
  const messages = useQuery({
    queryKey: ['messages', chatId, first],
    enabled: first !== undefined,
    queryFn: ({ signal }) =>
      client.chat({ id: chatId }).messages({ after: (first ?? 1) - 1, limit: MAX_MESSAGES, signal }),
  });
  if (first !== undefined && messages.isPending) return <Skeleton rows={2} />;
  const byId = new Map(messages.data?.messages.map((message) => [message.id, message]));
  return (
    <ol className="panel divide-y divide-line" aria-label="Attempts">
      {attempts.map((attempt, index) => (
        // Attempts have no identity except their order.
        <li key={index} className="px-4 py-3">
          <Attempt
            attempt={attempt}
            number={index + 1}
            message={byId.get(attempt.message_id ?? 0)}
            valueText={attempt.code === 'ok' ? value_text : undefined}
          />
        </li>
      ))}
    </ol>
  );
}

interface AttemptProps {
  readonly attempt: Receipt['attempts'][number];
  readonly number: number;
  readonly message: MessageView | undefined;
  readonly valueText: string | undefined;
}

function Attempt({ attempt, number, message, valueText }: AttemptProps): ReactNode {
  const { issues = [], repairs = [] } = attempt;
  const isValid = attempt.code === 'ok';
  const source = message && submissionText(message, attempt);
  const said = isValid ? 'valid' : describeAttempt(attempt, message && valueOfSubmission(message));
  return (
    <>
      <p className={`mb-2 font-medium ${isValid ? 'text-ok' : 'text-bad'}`}>
        <span aria-hidden="true">{isValid ? '✓' : '×'} </span>
        Attempt {number}: <CodeText text={said} />
      </p>
      {repairs.map((repair) => (
        <p key={repair} className="mb-2 text-sm text-muted">
          {describeRepair(repair)}
        </p>
      ))}
      {issues.length > 1 && (
        <ul className="mb-2 text-sm text-bad">
          {issues
            .map((issue) => placedIssue(issue))
            .map(({ path, rule }) => (
              <li key={`${path} ${rule}`}>
                <code>{path === '' ? 'the whole value' : path}</code> <CodeText text={rule} />
              </li>
            ))}
        </ul>
      )}
      {source === undefined && <p className="text-sm text-muted">No text of the model was kept.</p>}
      {source !== undefined && valueText === undefined && (
        <SourceText
          source={source}
          label={`Text of attempt ${number}`}
          refused={issues.map(({ path }) => path)}
        />
      )}
      {source !== undefined && valueText !== undefined && (
        <Origin source={source} number={number} valueText={valueText} />
      )}
    </>
  );
}

interface OriginProps {
  readonly source: SubmissionText;
  readonly number: number;
  readonly valueText: string;
}

/** Renders the fields of the value next to their source text. */
function Origin({ source, number, valueText }: OriginProps): ReactNode {
  const { get, set } = useAddressFilters();
  const field = get('field');
  const show = (pointer: string): void => set('field', pointer === field ? '' : pointer);
  return (
    <>
      {source.positions.size > 0 && (
        <p className="mb-2 text-sm text-muted">
          Select a field, or a character of the text, to see what was read from where.
        </p>
      )}
      <div className="grid items-start gap-3 @2xl:grid-cols-2">
        <section aria-label="Fields" className="overflow-hidden rounded-sm border border-line">
          <FieldList valueText={valueText} positions={source.positions} field={field} onShow={show} />
        </section>
        <SourceText source={source} label={`Text of attempt ${number}`} field={field} onShow={show} />
      </div>
    </>
  );
}
