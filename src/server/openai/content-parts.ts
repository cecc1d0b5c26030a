/** Owns making parts of what the APIs call content: words, pictures and files, each by its data or its address. Pure. */
import type { FilePart, MessagePart } from '../contract/parts.ts';

/** Words as a part. */
export function textPart(text: string): MessagePart {
  return { type: 'text', text };
}

/** Makes a file of an address, which may hold the data itself (`data:`); undefined for an address that is neither that nor of the web. */
export function filePart(address: string, kind: string, filename?: string | null): FilePart | undefined {
  const named = filename === undefined || filename === null ? {} : { filename };
  const [, media_type, data] = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/=_-]+)$/u.exec(address) ?? [];
  if (media_type !== undefined && data !== undefined) return { type: 'file', media_type, data, ...named };
  if (!/^https?:\/\//u.test(address) || !URL.canParse(address)) return undefined;
  return { type: 'file', media_type: kind, url: address, ...named };
}

/** What is told where an address cannot be used. */
export const ADDRESS_TEXT = 'Must be an address of the web, or data: with its type and Base64.';
