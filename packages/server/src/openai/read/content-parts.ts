/** Converts content of the APIs to parts: text, images and files, by data or URL. Pure. */
import type { RowPart } from '../../contract/rows.ts';
import type { FilePart } from '@truecast/client/internal/wire/message-parts';

export function textPart(text: string): RowPart {
  return { type: 'text', text };
}

/**
 * Converts a URL to a file. A `data:` URL contains the data. Undefined for other schemes than
 * `data:`, `http:` and `https:`.
 */
export function filePart(address: string, kind: string, filename?: string | null): FilePart | undefined {
  const named = filename === undefined || filename === null ? {} : { filename };
  const [, media_type, data] = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/=_-]+)$/u.exec(address) ?? [];
  if (media_type !== undefined && data !== undefined) return { type: 'file', media_type, data, ...named };
  if (!/^https?:\/\//u.test(address) || !URL.canParse(address)) return undefined;
  return { type: 'file', media_type: kind, url: address, ...named };
}

/** Error for an unusable URL. */
export const ADDRESS_TEXT = 'Must be an http or https URL, or a data: URL with its media type and Base64.';
