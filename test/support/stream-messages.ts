import type { IncomingMessage } from "node:http";
import type { StreamMessage } from "../../infra/console/api/page.ts";

/** Collects the messages of a stream of the console while they come. */
export function streamMessages(answer: IncomingMessage) {
  const messages: StreamMessage[] = [];
  const state = { ended: false };
  let text = "";
  answer.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    messages.push(...events.map((event) => JSON.parse(event.replace(/^data: /, "")) as StreamMessage));
  });
  answer.on("error", () => undefined).on("close", () => (state.ended = true));
  return { messages: messages as readonly StreamMessage[], state };
}
