import { z } from "zod";
import type { ModelAnswer, ModelAsk } from "./model-scripts.ts";

/** Wire format of a provider: its request as an ask, and an answer in its shape. */
export interface ModelWire {
  path: RegExp;
  parse(body: unknown, path: string): ModelAsk;
  present(answer: ModelAnswer, model: string): unknown;
}

const parts = z.array(z.looseObject({ type: z.string().optional(), text: z.string().optional() }));
const content = z.union([z.string(), parts, z.null()]).optional();
type Content = z.output<typeof content>;

function textOf(value: Content): string {
  if (typeof value === "string") return value;
  return (value ?? []).map(({ text }) => text ?? "").join("");
}

const usage = { input: 100, output: 20 };

const openAiBody = z.object({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content })),
});

/** Chat completions of OpenAI, which Mistral and many servers speak too. */
const openAi: ModelWire = {
  path: /^(\/v1)?\/chat\/completions$/u,
  parse(body) {
    const { model, messages } = openAiBody.parse(body);
    const texts = (role: RegExp) =>
      messages.filter((one) => role.test(one.role)).map((one) => textOf(one.content));
    return {
      model,
      system: texts(/^(system|developer)$/u).join("\n"),
      user: texts(/^user$/u).at(-1) ?? "",
      results: texts(/^tool$/u),
    };
  },
  present({ text, calls = [], finish }, model) {
    const tool_calls = calls.map(({ name, args }, index) => ({
      id: `call_${index}`,
      type: "function",
      function: { name, arguments: args },
    }));
    const reasons = { length: "length", refused: "content_filter" };
    const usual = calls.length > 0 ? "tool_calls" : "stop";
    return {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_790_000_000,
      model,
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: text,
            ...(calls.length > 0 && { tool_calls }),
          },
          finish_reason: finish === undefined ? usual : reasons[finish],
        },
      ],
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        prompt_tokens_details: { cached_tokens: 40 },
      },
    };
  },
};

const anthropicBody = z.object({
  model: z.string(),
  system: content,
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.union([
        z.string(),
        z.array(z.looseObject({ type: z.string(), text: z.string().optional(), content })),
      ]),
    }),
  ),
});

/** Arguments that are an object. Anthropic and Google carry no others. */
function objectOf(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}

const anthropic: ModelWire = {
  path: /^(\/v1)?\/messages$/u,
  parse(body) {
    const { model, system, messages } = anthropicBody.parse(body);
    const all = messages
      .filter(({ role }) => role === "user")
      .flatMap((one) =>
        typeof one.content === "string" ? [{ type: "text", text: one.content }] : one.content,
      );
    return {
      model,
      system: textOf(system),
      user: all.filter(({ type }) => type === "text").at(-1)?.text ?? "",
      results: all.flatMap((one) => ("content" in one ? [textOf(one.content)] : [])),
    };
  },
  present({ text, calls = [], finish }, model) {
    const reasons = { length: "max_tokens", refused: "refusal" };
    const usual = calls.length > 0 ? "tool_use" : "end_turn";
    return {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: [
        ...(text === "" ? [] : [{ type: "text", text }]),
        ...calls.map(({ name, args }, index) => ({
          type: "tool_use",
          id: `toolu_${index}`,
          name,
          input: objectOf(args),
        })),
      ],
      stop_reason: finish === undefined ? usual : reasons[finish],
      stop_sequence: null,
      usage: { input_tokens: usage.input, output_tokens: usage.output },
    };
  },
};

const googleParts = z.object({
  role: z.string().optional(),
  parts: z.array(
    z.looseObject({
      text: z.string().optional(),
      functionResponse: z.looseObject({ response: z.unknown() }).optional(),
    }),
  ),
});
const googleBody = z.object({
  systemInstruction: googleParts.optional(),
  contents: z.array(googleParts),
});

const google: ModelWire = {
  path: /^(\/v1beta|\/v1)?\/models\/[^/]+:generateContent$/u,
  parse(body, path) {
    const { systemInstruction, contents } = googleBody.parse(body);
    const all = contents.filter(({ role }) => role !== "model").flatMap((one) => one.parts);
    return {
      model: decodeURIComponent(/\/models\/([^/]+):/u.exec(path)?.[1] ?? ""),
      system: textOf(systemInstruction?.parts),
      user: all.findLast(({ text }) => text !== undefined)?.text ?? "",
      results: all.flatMap(({ functionResponse: one }) => {
        const response = z.looseObject({ content: z.unknown() }).safeParse(one?.response).data;
        return response === undefined ? [] : [String(response.content)];
      }),
    };
  },
  present({ text, calls = [], finish }) {
    const reasons = { length: "MAX_TOKENS", refused: "SAFETY" };
    return {
      candidates: [
        {
          content: {
            role: "model",
            parts: [
              ...(text === "" ? [] : [{ text }]),
              ...calls.map(({ name, args }) => ({ functionCall: { name, args: objectOf(args) } })),
            ],
          },
          finishReason: finish === undefined ? "STOP" : reasons[finish],
        },
      ],
      usageMetadata: {
        promptTokenCount: usage.input,
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.output,
      },
    };
  },
};

/** Wire formats that the stand-in speaks. */
export const modelWires: readonly ModelWire[] = [openAi, anthropic, google];
