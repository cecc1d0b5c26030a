/** Judgement of objects and arrays: members that are required and cannot have a value. Pure. */
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject } from '../analysis/schema-place.ts';
import { crossed, highest, lowest, NO_VALUE, type DeadEnd, type PartsPort } from './bounds.ts';

/** Returns why no object fits all parts. */
export function judgeObjects(parts: readonly SchemaObject[], port: PartsPort): DeadEnd | undefined {
  const required = new Set(parts.flatMap(requiredNames));
  port.spend(parts.length * required.size);
  for (const part of parts) {
    for (const name of required) {
      const deadEnd = judgeRequired(name, part, port);
      if (deadEnd !== undefined) return deadEnd;
    }
  }
  const most = highest(parts, ['maxProperties']);
  if (most !== undefined && required.size > most.value) {
    return {
      why: `it requires ${required.size} properties, above its \`maxProperties\` ${most.value}`,
      cure: 'Correct one of them.',
    };
  }
  return crossed(parts, 'minProperties', 'maxProperties');
}

function requiredNames({ required }: SchemaObject): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function judgeRequired(name: string, part: SchemaObject, port: PartsPort): DeadEnd | undefined {
  const { properties, patternProperties, additionalProperties, propertyNames } = part;
  if (propertyNames === false) return notAllowed(name);
  if (isRecord(properties) && Object.hasOwn(properties, name)) {
    const inner = properties[name];
    return port.isImpossible(inner) ? { ...NO_VALUE, at: ['properties', name], inner } : undefined;
  }
  if (isRecord(patternProperties) && Object.keys(patternProperties).length > 0) return undefined;
  if (additionalProperties === false) return notAllowed(name);
  return additionalProperties !== undefined && port.isImpossible(additionalProperties)
    ? { ...NO_VALUE, at: ['additionalProperties'], inner: additionalProperties }
    : undefined;
}

function notAllowed(name: string): DeadEnd {
  return {
    why: `it requires the property ${JSON.stringify(name)} and does not allow it`,
    cure: 'Add it to `properties`, or remove it from `required`.',
    at: ['required'],
  };
}

/** Returns why no array fits all parts. */
export function judgeArrays(parts: readonly SchemaObject[], port: PartsPort): DeadEnd | undefined {
  const least = lowest(parts, ['minItems'])?.value ?? 0;
  for (const part of parts) {
    const deadEnd = judgeItems(part, least, port) ?? judgeContains(part, port);
    if (deadEnd !== undefined) return deadEnd;
  }
  return crossed(parts, 'minItems', 'maxItems');
}

function judgeItems(part: SchemaObject, least: number, port: PartsPort): DeadEnd | undefined {
  const isLegacy = Array.isArray(part['items']);
  const prefixKeyword = isLegacy ? 'items' : 'prefixItems';
  // Up to draft 07 it is not a keyword.
  const given = port.ignoresRefSiblings && !isLegacy ? undefined : part[prefixKeyword];
  const prefix: readonly unknown[] = Array.isArray(given) ? given : [];
  port.spend(prefix.length);
  const index = prefix.slice(0, least).findIndex((item) => port.isImpossible(item));
  if (index !== -1) return { ...NO_VALUE, at: [prefixKeyword, index], inner: prefix[index] };
  const restKeyword = isLegacy ? 'additionalItems' : 'items';
  const rest = part[restKeyword];
  if (least <= prefix.length || rest === undefined || !port.isImpossible(rest)) return undefined;
  return {
    why: `it needs ${least} items, and no value fits ${prefix.length === 0 ? 'one' : `the ones after ${prefix.length}`}`,
    cure: 'Lower `minItems`.',
    at: [restKeyword],
    inner: rest,
  };
}

function judgeContains(part: SchemaObject, port: PartsPort): DeadEnd | undefined {
  const { contains, minContains, maxContains } = part;
  if (contains === undefined) return undefined;
  // Up to draft 07, one item must match.
  const least = typeof minContains === 'number' && !port.ignoresRefSiblings ? minContains : 1;
  if (least < 1) return undefined;
  if (port.isImpossible(contains)) return { ...NO_VALUE, at: ['contains'], inner: contains };
  if (typeof maxContains !== 'number' || port.ignoresRefSiblings || maxContains >= least) return undefined;
  return {
    why: `its \`minContains\` ${least} exceeds its \`maxContains\` ${maxContains}`,
    cure: 'Correct one of them.',
  };
}
