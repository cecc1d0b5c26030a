/** Owns the shape of a posted Gemini request: contents of parts, declared functions, what is asked of the answer. Pure. */
import { z } from 'zod';

/** One piece of a content; one of its fields is set, and a kind that is not named here has none of them. */
export interface GeminiPart {
  readonly text?: string | undefined;
  /** True when `text` is what the model thought. */
  readonly thought?: boolean | undefined;
  readonly functionCall?:
    | { readonly id?: string | undefined; readonly name: string; readonly args?: unknown }
    | undefined;
  readonly functionResponse?:
    | {
        readonly id?: string | undefined;
        readonly name: string;
        readonly response: Readonly<Record<string, unknown>>;
      }
    | undefined;
}

/** One posted content. Its role is checked by the rules, in the service's words. */
export interface GeminiContent {
  readonly role?: string | undefined;
  readonly parts?: readonly GeminiPart[] | undefined;
}

/** A declared function. */
export interface GeminiFunction {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** The service's own subset of JSON Schema. */
  readonly parameters?: unknown;
  readonly parametersJsonSchema?: unknown;
}

/** A group of functions, or a tool of the service's own, which is named by its key. */
export interface GeminiTool {
  readonly functionDeclarations?: readonly GeminiFunction[] | undefined;
}

/** A posted request, of which only what the server needs is named. */
export interface GeminiRequest {
  readonly contents?: readonly GeminiContent[] | undefined;
  readonly systemInstruction?: GeminiContent | undefined;
  readonly tools?: readonly GeminiTool[] | undefined;
  readonly generationConfig?:
    | {
        readonly responseMimeType?: string | undefined;
        readonly responseSchema?: unknown;
        readonly responseJsonSchema?: unknown;
      }
    | undefined;
}

const part: z.ZodType<GeminiPart> = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z
    .object({
      id: z.string().optional(),
      name: z.string(),
      args: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  functionResponse: z
    .object({ id: z.string().optional(), name: z.string(), response: z.record(z.string(), z.unknown()) })
    .optional(),
});

const content: z.ZodType<GeminiContent> = z.object({
  role: z.string().optional(),
  parts: z.array(part).optional(),
});

/** The shape of a posted request. */
export const geminiRequestSchema: z.ZodType<GeminiRequest> = z.object({
  contents: z.array(content).optional(),
  systemInstruction: content.optional(),
  tools: z
    .array(
      z.looseObject({
        functionDeclarations: z
          .array(
            z.object({
              name: z.string().optional(),
              description: z.string().optional(),
              parameters: z.unknown().optional(),
              parametersJsonSchema: z.unknown().optional(),
            }),
          )
          .optional(),
      }),
    )
    .optional(),
  generationConfig: z
    .object({
      responseMimeType: z.string().optional(),
      responseSchema: z.unknown().optional(),
      responseJsonSchema: z.unknown().optional(),
    })
    .optional(),
});
