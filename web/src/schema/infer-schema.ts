/** Inference: the JSON Schema of an example value. Pure. */
import { asRecord, type DescribedSchema } from '../json/describe-schema.ts';

/** Returns the schema of a value. Items of a list share one schema, and each member is required. */
export function inferSchema(value: unknown): DescribedSchema {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) {
    const [first, ...rest] = value.map(inferSchema);
    return first === undefined ? { type: 'array' } : { type: 'array', items: rest.reduce(merge, first) };
  }
  const members = asRecord(value);
  if (members === undefined) return { type: typeof value === 'number' ? numberType(value) : typeof value };
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(members).map(([name, each]) => [name, inferSchema(each)])),
    required: Object.keys(members),
    additionalProperties: false,
  };
}

function numberType(value: number): string {
  return Number.isInteger(value) ? 'integer' : 'number';
}

/** Returns a schema that accepts the values of both. A member that one of them lacks is optional. */
function merge(left: DescribedSchema, right: DescribedSchema): DescribedSchema {
  const [first, second] = [optionsOf(left), optionsOf(right)];
  const merged = second.reduce<readonly DescribedSchema[]>((options, option) => {
    const at = options.findIndex((each) => isSameKind(each, option));
    return at === -1
      ? [...options, option]
      : options.map((each, index) => (index === at ? mergeKind(each, option) : each));
  }, first);
  const [only, ...others] = merged;
  return only !== undefined && others.length === 0 ? only : { anyOf: merged };
}

function optionsOf(schema: DescribedSchema): readonly DescribedSchema[] {
  const { anyOf } = schema;
  const options: readonly unknown[] | undefined = Array.isArray(anyOf) ? anyOf : undefined;
  return options?.map((each) => asRecord(each) ?? {}) ?? [schema];
}

const isNumber = ({ type }: DescribedSchema): boolean => type === 'integer' || type === 'number';

function isSameKind(left: DescribedSchema, right: DescribedSchema): boolean {
  return left['type'] === right['type'] || (isNumber(left) && isNumber(right));
}

function mergeKind(left: DescribedSchema, right: DescribedSchema): DescribedSchema {
  if (isNumber(left)) return left['type'] === right['type'] ? left : { type: 'number' };
  const [leftItems, rightItems] = [asRecord(left['items']), asRecord(right['items'])];
  if (left['type'] === 'array') {
    if (leftItems === undefined || rightItems === undefined) return leftItems === undefined ? right : left;
    return { ...left, items: merge(leftItems, rightItems) };
  }
  return left['type'] === 'object' ? mergeObjects(left, right) : left;
}

function mergeObjects(left: DescribedSchema, right: DescribedSchema): DescribedSchema {
  const [first, second] = [asRecord(left['properties']) ?? {}, asRecord(right['properties']) ?? {}];
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  const properties = names.map((name) => {
    const [own, other] = [member(first, name), member(second, name)];
    return [name, own === undefined ? other : other === undefined ? own : merge(own, other)] as const;
  });
  const required = [left, right].map(namesOf);
  return {
    ...left,
    properties: Object.fromEntries(properties),
    required: names.filter((name) => required.every((each) => each.includes(name))),
  };
}

function namesOf({ required }: DescribedSchema): readonly unknown[] {
  return Array.isArray(required) ? required : [];
}

function member(properties: DescribedSchema, name: string): DescribedSchema | undefined {
  return Object.hasOwn(properties, name) ? asRecord(properties[name]) : undefined;
}
