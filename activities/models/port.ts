import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createMistral } from "@ai-sdk/mistral";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, tool, type LanguageModel, type ModelMessage } from "ai";
import { renderPrompt, type Prompt, type PromptMessage } from "../../core/agent/prompt.ts";
import type { ModelPort, StepOutput } from "../../core/agent/step.ts";
import type { ProviderKind } from "../../core/model/agent.ts";
import { toStepError } from "./step-error.ts";

/** A model of a provider, with its opened key. */
export interface ModelProvider {
  kind: ProviderKind;
  /** Null: the provider's own address. Required for `openai_compatible`. */
  baseUrl: string | null;
  model: string;
  /** Empty for a server that wants none. */
  apiKey: string;
}

// Its warnings go to the console, and name parts of requests.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Always given, because the library would read an address from the environment. */
const ownAddresses = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  mistral: "https://api.mistral.ai/v1",
} as const;

/** Creates the port to a model. It makes one request a step, and never a second one. */
export function createModelPort(
  provider: ModelProvider,
  { fetch }: { fetch: typeof globalThis.fetch },
): ModelPort {
  return {
    async step({ context, maxOutputTokens, repair }, signal) {
      const prompt = renderPrompt(context, repair);
      signal.throwIfAborted();
      try {
        return await generate(provider, fetch, prompt, maxOutputTokens, signal);
      } catch (error) {
        // An aborted call fails in many ways, so the signal decides.
        if (signal.aborted) throw signal.reason;
        throw toStepError(error);
      }
    },
  };
}

async function generate(
  provider: ModelProvider,
  fetch: typeof globalThis.fetch,
  prompt: Prompt,
  maxOutputTokens: number,
  abortSignal: AbortSignal,
): Promise<StepOutput> {
  const result = await generateText({
    model: modelOf(provider, fetch),
    system: prompt.system,
    messages: prompt.messages.map(toModelMessage),
    tools: Object.fromEntries(
      prompt.tools.map(({ name, description, schema }) => [
        name,
        tool({ description, inputSchema: jsonSchema(schema) }),
      ]),
    ),
    maxOutputTokens,
    maxRetries: 0,
    abortSignal,
  });
  const usage = {
    input: result.usage.inputTokens ?? 0,
    cached: result.usage.inputTokenDetails.cacheReadTokens ?? 0,
    output: result.usage.outputTokens ?? 0,
  };
  // Text that a provider's filter has cut is no answer.
  const text = result.finishReason === "content-filter" ? "" : withoutThoughts(result.text);
  // Calls that the library marks as invalid stay: the check of their input tells the model.
  const calls = result.toolCalls.map(({ toolCallId, toolName, input }) => ({
    callId: toolCallId,
    tool: toolName,
    input: input as unknown,
  }));
  if (calls.length > 0) return { kind: "calls", text, calls, usage };
  return { kind: "reply", text, usage, ...(result.finishReason === "length" && { cut: true }) };
}

/** Some open models write their thoughts before the answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think>[\s\S]*?<\/think>/u, "").trim();
}

function modelOf(
  { kind, baseUrl, model, apiKey }: ModelProvider,
  fetch: typeof globalThis.fetch,
): LanguageModel {
  if (kind === "openai_compatible") {
    const key = apiKey === "" ? {} : { apiKey };
    return createOpenAICompatible({ name: "provider", baseURL: baseUrl ?? "", fetch, ...key })(
      model,
    );
  }
  const settings = { baseURL: baseUrl ?? ownAddresses[kind], apiKey, fetch };
  if (kind === "anthropic") return createAnthropic(settings)(model);
  if (kind === "google") return createGoogleGenerativeAI(settings)(model);
  if (kind === "mistral") return createMistral(settings)(model);
  // The other API of OpenAI keeps each answer at the provider.
  return createOpenAI(settings).chat(model);
}

function toModelMessage(message: PromptMessage): ModelMessage {
  if (message.role === "user") return { role: "user", content: message.text };
  if (message.role === "assistant") {
    const calls = message.calls.map(({ id, tool: toolName, input }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName,
      input,
    }));
    const text = message.text === "" ? [] : [{ type: "text" as const, text: message.text }];
    return { role: "assistant", content: [...text, ...calls] };
  }
  return {
    role: "tool",
    content: message.results.map(({ id, tool: toolName, result }) => ({
      type: "tool-result",
      toolCallId: id,
      toolName,
      output: { type: "text", value: result },
    })),
  };
}
