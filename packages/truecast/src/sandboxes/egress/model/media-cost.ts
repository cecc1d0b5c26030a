/**
 * Input tokens of media inside a request: pages, pictures, sound. Their bytes say nothing, because a
 * file of 7 kB can have 100 pages, and one color compresses to almost nothing. Pure.
 */
import { isRecord } from '@truecast/core/internal/kit/is-record';

/**
 * Most that a service counts for a picture that it scales down: the tiles of OpenAI's small models.
 * Anthropic and the large models count less.
 */
const MAX_SCALED_TOKENS = 50_000;
/** Pixels of one token where a picture is counted by its size (Anthropic's documentation). */
const TOKEN_PIXELS = 750;
/** The size of a picture is in its first bytes, in JPEG after its metadata. */
const MAX_HEAD_CHARS = 256 * 1024;

/** Members that name the type of data beside them. */
const TYPE_KEYS = ['media_type', 'mediaType', 'mimeType', 'mime_type'] as const;
/** Members whose value is a data URL, or plain Base64 of a type that nothing names. */
const DATA_KEYS: ReadonlySet<string> = new Set([
  'url',
  'image_url',
  'file_url',
  'file_data',
  'file_uri',
  'fileUri',
]);
const DATA_URL = /^data:([^;,]*)[^,]*,/u;

/**
 * Returns the tokens that an object's own media can have. Undefined if they are unknown: a document,
 * sound, video, or a picture whose size cannot be read.
 */
export function mediaTokens(value: Readonly<Record<string, unknown>>): number | undefined {
  let tokens = 0;
  for (const [type, data] of dataIn(value)) {
    const counted = tokensOf(type, data);
    if (counted === undefined) return undefined;
    tokens += counted;
  }
  return tokens;
}

function dataIn(
  value: Readonly<Record<string, unknown>>,
): readonly (readonly [type: string, data: string])[] {
  const found = [...DATA_KEYS].flatMap((key) => {
    const data = value[key];
    if (typeof data !== 'string') return [];
    const url = DATA_URL.exec(data);
    if (url !== null) return [[url[1] ?? '', data.slice(url[0].length)] as const];
    return key === 'file_data' && data !== '' ? [['', data] as const] : [];
  });
  const { data } = value;
  if (typeof data !== 'string') return found;
  const type = TYPE_KEYS.map((key) => value[key]).find((each) => typeof each === 'string');
  if (type !== undefined) return [...found, [type, data]];
  // `input_audio` of Chat Completions.
  return typeof value['format'] === 'string' ? [...found, ['audio', data]] : found;
}

function tokensOf(type: string, data: string): number | undefined {
  const kind = type.trim().toLowerCase();
  // Each token of a text is at least one byte, which the request's length counts.
  if (kind.startsWith('text/') || kind === 'application/json') return 0;
  if (!kind.startsWith('image/')) return undefined;
  const pixels = pixelsOf(Buffer.from(data.slice(0, MAX_HEAD_CHARS), 'base64'));
  return pixels === undefined ? undefined : Math.max(MAX_SCALED_TOKENS, Math.ceil(pixels / TOKEN_PIXELS));
}

/** Returns width × height, by the content: a type can be wrong. */
function pixelsOf(head: Buffer): number | undefined {
  const size = pngSize(head) ?? gifSize(head) ?? webpSize(head) ?? jpegSize(head);
  return size === undefined ? undefined : size[0] * size[1];
}

type Size = readonly [width: number, height: number];

/** An animated PNG is shown as its first picture. */
function pngSize(head: Buffer): Size | undefined {
  if (head.length < 24 || head.toString('latin1', 1, 4) !== 'PNG') return undefined;
  return [head.readUInt32BE(16), head.readUInt32BE(20)];
}

function gifSize(head: Buffer): Size | undefined {
  if (head.length < 10 || head.toString('latin1', 0, 4) !== 'GIF8') return undefined;
  return [head.readUInt16LE(6), head.readUInt16LE(8)];
}

function webpSize(head: Buffer): Size | undefined {
  if (head.length < 30 || head.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  const form = head.toString('latin1', 12, 16);
  if (form === 'VP8X') return [head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1];
  if (form === 'VP8 ') return [head.readUInt16LE(26) & 0x3f_ff, head.readUInt16LE(28) & 0x3f_ff];
  const bits = head.readUInt32LE(21);
  return form === 'VP8L' ? [(bits & 0x3f_ff) + 1, ((bits >>> 14) & 0x3f_ff) + 1] : undefined;
}

/** The size is in the frame header, after segments with their lengths. */
function jpegSize(head: Buffer): Size | undefined {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xff_d8) return undefined;
  for (let at = 2; at + 9 < head.length && head[at] === 0xff; at += 2 + head.readUInt16BE(at + 2)) {
    const marker = head[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [head.readUInt16BE(at + 7), head.readUInt16BE(at + 5)];
  }
  return undefined;
}

/** Returns the tokens of thinking that a request allows beyond its output. */
export function thinkingTokens(request: Readonly<Record<string, unknown>>): number {
  const places = [request['thinking'], request['thinkingConfig'], request['thinking_config']];
  const budgets = places
    .filter(isRecord)
    .flatMap((place) => ['budget_tokens', 'thinkingBudget', 'thinking_budget'].map((key) => place[key]));
  return Math.max(0, ...budgets.filter((each) => typeof each === 'number'));
}
