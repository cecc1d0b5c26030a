/**
 * Parts of this server's OpenAPI document that the reference shows. Pure, except for the request.
 */
import { asRecord, type DescribedSchema } from '../json/describe-schema.ts';

export interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: DescribedSchema;
}

export interface DocumentedProblem {
  readonly code: string;
  readonly status: number;
  readonly remedy: string;
}

/** Content of a body or a response. */
export interface Content {
  readonly mediaType: string;
  readonly schema: DescribedSchema;
  readonly example: unknown;
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly isOpen: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Content | undefined;
  readonly answer: {
    readonly status: string;
    readonly description: string;
    readonly content: Content | undefined;
  };
  readonly problems: readonly DocumentedProblem[];
}

export interface ApiDocument {
  /** The whole document, to resolve references. */
  readonly root: DescribedSchema;
  readonly description: string;
  readonly operations: readonly Operation[];
}

export async function readDocument(signal: AbortSignal): Promise<ApiDocument> {
  const response = await fetch('/openapi.json', { signal });
  return toDocument(asRecord(await response.json()) ?? {});
}

function toDocument(root: DescribedSchema): ApiDocument {
  const operations = entries(root['paths']).flatMap(([path, methods]) =>
    entries(methods).map(([method, operation]) => toOperation(path, method, asRecord(operation) ?? {})),
  );
  const order = list(root['tags']).map((tag) => text(tag['name']));
  const rank = ({ tag }: Operation): number => (order.indexOf(tag) + order.length + 1) % (order.length + 1);
  return {
    root,
    description: text(asRecord(root['info'])?.['description']),
    operations: operations.sort((a, b) => rank(a) - rank(b)),
  };
}

function toOperation(path: string, method: string, operation: DescribedSchema): Operation {
  const [status = '200', answer] =
    entries(operation['responses']).find(([code]) => code.startsWith('2')) ?? [];
  const tags = operation['tags'];
  return {
    id: text(operation['operationId']),
    tag: Array.isArray(tags) ? text(tags[0]) : 'Other',
    method: method.toUpperCase(),
    path,
    summary: text(operation['summary']),
    description: text(operation['description']),
    isOpen: Array.isArray(operation['security']) && operation['security'].length === 0,
    parameters: list(operation['parameters']).map((parameter) => ({
      name: text(parameter['name']),
      place: text(parameter['in']),
      isRequired: parameter['required'] === true,
      description: text(parameter['description']),
      schema: asRecord(parameter['schema']) ?? {},
    })),
    body: contentOf(asRecord(operation['requestBody'])),
    answer: {
      status,
      description: text(asRecord(answer)?.['description']),
      content: contentOf(asRecord(answer)),
    },
    problems: list(operation['x-problems']).map(({ code, status: sent, remedy }) => ({
      code: text(code),
      status: Number(sent),
      remedy: text(remedy),
    })),
  };
}

function contentOf(holder: DescribedSchema | undefined): Content | undefined {
  const [first] = entries(holder?.['content']);
  if (first === undefined) return undefined;
  const content = asRecord(first[1]) ?? {};
  return { mediaType: first[0], schema: asRecord(content['schema']) ?? {}, example: content['example'] };
}

function entries(value: unknown): [string, unknown][] {
  return Object.entries(asRecord(value) ?? {});
}

function list(value: unknown): DescribedSchema[] {
  return Array.isArray(value) ? value.map((each) => asRecord(each) ?? {}) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
