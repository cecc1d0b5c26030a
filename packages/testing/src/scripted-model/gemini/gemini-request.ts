/** Request schema of Gemini: contents, function declarations, and answer settings. Pure. */
import { z } from 'zod';

/** A part of a content with one of its fields set. Unknown kinds have none of them. */
export interface GeminiPart {
  readonly text?: string | undefined;
  /** True if `text` is reasoning. */
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

/** One posted content. The rules check its role, with the service's message. */
export interface GeminiContent {
  readonly role?: string | undefined;
  readonly parts?: readonly GeminiPart[] | undefined;
}

export interface GeminiFunction {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** The service's subset of JSON Schema. */
  readonly parameters?: unknown;
  readonly parametersJsonSchema?: unknown;
}

/** A group of functions, or a service tool, named by its key. */
export interface GeminiTool {
  readonly functionDeclarations?: readonly GeminiFunction[] | undefined;
}

/** A posted request, with the fields that the server needs. */
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
