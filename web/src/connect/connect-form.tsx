/**
 * Form that connects a model: the server calls it once, and lists it until its process ends. The key is in
 * the state of this form alone until it is sent.
 */
import { useId, useState, type ReactNode, type SubmitEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  connectionView,
  type ConnectionView,
  type ConnectModelBody,
} from '@truecast/client/internal/wire/model-connection';
import { ServerError } from '@truecast/client';
import { CodeText } from '../parts/code/text-panel.tsx';
import { Icon } from '../parts/icon.tsx';
import { ModelName } from '../parts/model-name.tsx';
import { ProblemBox } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
import { modelFacts } from './model-facts.ts';
import { KINDS, modelKindOf, type ModelKind } from './model-kinds.ts';

interface FormProps {
  /** Name of a model that was connected before, as in a chat. @default none */
  readonly earlier?: string;
}

/** Texts of the fields. */
interface Values {
  readonly model: string;
  readonly address: string;
  readonly key: string;
}

/** Renders the form, with its result below. */
export function ConnectForm({ earlier }: FormProps): ReactNode {
  const known = modelKindOf(earlier);
  const [kind, setKind] = useState<ModelKind>(known.kind);
  const [values, setValues] = useState<Values>({
    model: known.model ?? known.kind.model,
    address: known.kind.address ?? '',
    key: '',
  });
  const connect = useConnect(() => setValues((before) => ({ ...before, key: '' })));
  const choose = (next: ModelKind): void => {
    setKind(next);
    setValues({ model: known.model ?? next.model, address: next.address ?? '', key: '' });
    connect.reset();
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    connect.mutate(bodyOf(kind, values));
  };
  const wrong = wrongField(connect.data, connect.error);
  const isComplete = values.model.trim() !== '' && (kind.address !== undefined || values.key.trim() !== '');
  return (
    <form onSubmit={submit} aria-label="Connect a model" className="space-y-4 px-4 py-4">
      <div className="segments max-w-full flex-wrap" role="group" aria-label="Kind of model">
        {KINDS.map((each) => (
          <button key={each.name} type="button" aria-pressed={each === kind} onClick={() => choose(each)}>
            {each.name}
          </button>
        ))}
      </div>
      <Fields
        kind={kind}
        values={values}
        wrong={wrong}
        onChange={(change) => setValues({ ...values, ...change })}
      />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <button type="submit" className="button button-primary" disabled={!isComplete || connect.isPending}>
          {connect.isPending ? 'Connecting …' : 'Connect'}
        </button>
        <p className="min-w-0 flex-1 basis-64 text-sm text-muted">
          The server calls the model once. The key stays in the memory of its process, and is forgotten when
          that ends.
        </p>
      </div>
      <Result data={connect.data} error={connect.error} isPending={connect.isPending} />
    </form>
  );
}

function bodyOf({ provider, address: usual }: ModelKind, { model, address, key }: Values): ConnectModelBody {
  const apiKey = key.trim();
  return {
    provider,
    model: model.trim(),
    ...(usual !== undefined && { address: address.trim() }),
    ...(apiKey !== '' && { api_key: apiKey }),
  };
}

interface FieldsProps {
  readonly kind: ModelKind;
  readonly values: Values;
  /** Name of the field that the server refused. */
  readonly wrong: string | undefined;
  readonly onChange: (change: Partial<Values>) => void;
}

function Fields({ kind, values, wrong, onChange }: FieldsProps): ReactNode {
  return (
    <div className="grid gap-4 @2xl:grid-cols-2">
      <TextField
        label="Model"
        value={values.model}
        onChange={(model) => onChange({ model })}
        isWrong={wrong === 'model'}
      />
      {kind.address !== undefined && (
        <TextField
          label="Address"
          value={values.address}
          onChange={(address) => onChange({ address })}
          isWrong={wrong === 'address'}
        />
      )}
      <TextField
        isSecret
        label={kind.address === undefined ? 'API key' : 'API key, if its server needs one'}
        value={values.key}
        onChange={(key) => onChange({ key })}
        isWrong={wrong === 'api_key'}
      />
    </div>
  );
}

/** Nothing keeps the sent key: the result has none, and the call is forgotten with the form. */
function useConnect(onConnected: () => void) {
  const { call } = useSession();
  const queries = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn: (body: ConnectModelBody) =>
      call({ method: 'POST', path: '/api/models', body, shape: connectionView }),
    onSuccess: ({ type }) => {
      if (type !== 'connected') return;
      onConnected();
      void queries.invalidateQueries({ queryKey: ['models'] });
    },
  });
}

function wrongField(data: ConnectionView | undefined, error: Error | null): string | undefined {
  if (data?.type === 'refused') return data.field;
  return ServerError.isInstance(error) ? error.problem?.field : undefined;
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isWrong: boolean;
  /** True for dots instead of the text. @default false */
  readonly isSecret?: boolean;
}

/** A key is not in a field for passwords, which a browser offers to store. */
function TextField({ label, value, onChange, isWrong, isSecret = false }: TextFieldProps): ReactNode {
  const id = useId();
  return (
    <div className="min-w-0">
      <label className="caption mb-1 block" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className={`field font-mono text-code ${isWrong ? 'border-bad' : ''} ${isSecret ? '[-webkit-text-security:disc]' : ''}`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={value}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? PROBLEM : undefined}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}

const PROBLEM = 'connect-problem';

interface ResultProps {
  readonly data: ConnectionView | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
}

function Result({ data, error, isPending }: ResultProps): ReactNode {
  return (
    <>
      <div role="status" className="empty:hidden">
        {isPending && (
          <p className="flex items-center gap-2 text-sm text-muted">
            <Icon name="live" className="size-4 animate-spin" />
            The model is called. One on this machine can load its weights first.
          </p>
        )}
        {!isPending && data?.type === 'connected' && (
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-ok-edge bg-ok-soft px-4 py-3">
            <Icon name="valid" className="size-4 text-ok" />
            <span className="font-semibold">
              <ModelName id={data.model.id} />
            </span>
            <span>is connected.</span>
            <span className="text-sm text-muted">{modelFacts(data.model)}</span>
          </div>
        )}
      </div>
      {!isPending && data?.type === 'refused' && (
        <div id={PROBLEM} role="alert" className="rounded-lg border border-bad-edge bg-bad-soft px-4 py-3.5">
          <p className="text-bad">
            <CodeText text={data.message} />
          </p>
          <p className="mt-1 text-sm text-muted">
            {data.reason.replaceAll('_', ' ')}
            {data.status_code === undefined ? '' : ` · status ${data.status_code}`} · not connected
          </p>
        </div>
      )}
      {!isPending && error !== null && (
        <div id={PROBLEM}>
          <ProblemBox error={error} />
        </div>
      )}
    </>
  );
}
