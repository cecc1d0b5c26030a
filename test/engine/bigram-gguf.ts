/** GGUF writer: a llama model whose next token depends on the last one alone, from a corpus. */

/** 3 control tokens, then one token for each byte. */
const FIRST_BYTE = 3;
const VOCAB = FIRST_BYTE + 256;
/** One dimension for each token, rounded up to a multiple of the heads. */
const WIDTH = 264;
const HEADS = 4;

/** Returns the file. */
export function bigramGguf(corpus: string): Uint8Array {
  const tensors = tensorsOf(corpus);
  const parts: Uint8Array[] = [];
  let size = 0;
  const push = (bytes: Uint8Array): void => {
    parts.push(bytes);
    size += bytes.length;
  };
  const metadata = metadataOf();
  push(new TextEncoder().encode('GGUF'));
  push(u32(3));
  push(u64(tensors.length));
  push(u64(metadata.length));
  for (const [key, value] of metadata) {
    push(text(key));
    for (const bytes of value) push(bytes);
  }
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    push(text(name));
    push(u32(shape.length));
    for (const length of shape) push(u64(length));
    push(u32(0));
    push(u64(offset));
    offset += padded(data.byteLength);
  }
  push(new Uint8Array(padded(size) - size));
  for (const { data } of tensors) {
    push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    push(new Uint8Array(padded(data.byteLength) - data.byteLength));
  }
  const file = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** Attention and feed-forward are zero: the logits are the output row of the last token. */
function tensorsOf(corpus: string): readonly Tensor[] {
  const zero = (name: string, ...shape: number[]): Tensor => ({
    name,
    shape,
    data: new Float32Array(shape.reduce((product, length) => product * length, 1)),
  });
  const filled = (name: string, value: number): Tensor => ({
    name,
    shape: [WIDTH],
    data: new Float32Array(WIDTH).fill(value),
  });
  const embedding = new Float32Array(WIDTH * VOCAB);
  for (let token = 0; token < VOCAB; token += 1) embedding[token * WIDTH + token] = 1;
  return [
    { name: 'token_embd.weight', shape: [WIDTH, VOCAB], data: embedding },
    filled('blk.0.attn_norm.weight', 1),
    zero('blk.0.attn_q.weight', WIDTH, WIDTH),
    zero('blk.0.attn_k.weight', WIDTH, WIDTH),
    zero('blk.0.attn_v.weight', WIDTH, WIDTH),
    zero('blk.0.attn_output.weight', WIDTH, WIDTH),
    filled('blk.0.ffn_norm.weight', 1),
    zero('blk.0.ffn_gate.weight', WIDTH, WIDTH),
    zero('blk.0.ffn_up.weight', WIDTH, WIDTH),
    zero('blk.0.ffn_down.weight', WIDTH, WIDTH),
    // RMS normalization scales a one-hot row by the root of its width.
    filled('output_norm.weight', 1 / Math.sqrt(WIDTH)),
    { name: 'output.weight', shape: [WIDTH, VOCAB], data: logProbabilities(corpus) },
  ];
}

function logProbabilities(corpus: string): Float32Array {
  const counts = new Float32Array(WIDTH * VOCAB).fill(0.01);
  const bytes = new TextEncoder().encode(corpus);
  let last = 1;
  for (const byte of bytes) {
    const token = FIRST_BYTE + byte;
    const at = token * WIDTH + last;
    counts[at] = (counts[at] ?? 0) + 1;
    last = token;
  }
  for (let from = 0; from < VOCAB; from += 1) {
    let sum = 0;
    for (let to = 0; to < VOCAB; to += 1) sum += counts[to * WIDTH + from] ?? 0;
    for (let to = 0; to < VOCAB; to += 1) {
      counts[to * WIDTH + from] = Math.log((counts[to * WIDTH + from] ?? 0) / sum);
    }
  }
  return counts;
}

type Entry = readonly [string, readonly Uint8Array[]];

function metadataOf(): readonly Entry[] {
  const count = (value: number): Uint8Array[] => [u32(4), u32(value)];
  const real = (value: number): Uint8Array[] => [u32(6), f32(value)];
  const word = (value: string): Uint8Array[] => [u32(8), text(value)];
  const list = (type: number, values: readonly Uint8Array[]): Uint8Array[] => [
    u32(9),
    u32(type),
    u64(values.length),
    ...values,
  ];
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  );
  const tokens = ['<unk>', '<s>', '</s>', ...bytes];
  return [
    ['general.architecture', word('llama')],
    ['general.name', word('bigram')],
    ['llama.context_length', count(8_192)],
    ['llama.embedding_length', count(WIDTH)],
    ['llama.block_count', count(1)],
    ['llama.feed_forward_length', count(WIDTH)],
    ['llama.attention.head_count', count(HEADS)],
    ['llama.attention.head_count_kv', count(HEADS)],
    ['llama.attention.layer_norm_rms_epsilon', real(1e-6)],
    ['llama.rope.dimension_count', count(WIDTH / HEADS)],
    ['llama.vocab_size', count(VOCAB)],
    ['tokenizer.ggml.model', word('llama')],
    ['tokenizer.ggml.tokens', list(8, tokens.map(text))],
    [
      'tokenizer.ggml.scores',
      list(
        6,
        tokens.map(() => f32(0)),
      ),
    ],
    // 2 unknown, 3 control, 6 byte.
    [
      'tokenizer.ggml.token_type',
      list(
        5,
        tokens.map((_, token) => u32(token === 0 ? 2 : token < 3 ? 3 : 6)),
      ),
    ],
    ['tokenizer.ggml.bos_token_id', count(1)],
    ['tokenizer.ggml.eos_token_id', count(2)],
    ['tokenizer.ggml.unknown_token_id', count(0)],
    ['tokenizer.ggml.add_bos_token', [u32(7), Uint8Array.of(1)]],
    ['tokenizer.ggml.add_space_prefix', [u32(7), Uint8Array.of(0)]],
  ];
}

function padded(size: number): number {
  return Math.ceil(size / 32) * 32;
}

function u32(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer);
}

function u64(value: number): Uint8Array {
  return new Uint8Array(BigUint64Array.of(BigInt(value)).buffer);
}

function f32(value: number): Uint8Array {
  return new Uint8Array(Float32Array.of(value).buffer);
}

function text(value: string): Uint8Array {
  const bytes = new TextEncoder().encode(value);
  const out = new Uint8Array(8 + bytes.length);
  out.set(u64(bytes.length));
  out.set(bytes, 8);
  return out;
}
