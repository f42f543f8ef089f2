import { openAt, PRESSED, type Sent } from "./console.ts";
import { streamMessages } from "./stream-messages.ts";

/** Opens the link of a console on loopback that runs anywhere, as a browser does. */
export async function openConsole(link: string) {
  const { port, hash } = new URL(link);
  const send = async (path: string, sent: Sent) => {
    const { answer } = await openAt(Number(port), `/api/v1${path}`, sent);
    let text = "";
    for await (const chunk of answer) text += chunk;
    return { status: answer.statusCode ?? 0, text };
  };
  const code = hash.replace("#code=", "");
  const opened = await send("/session", { method: "POST", headers: PRESSED, body: JSON.stringify({ code }) });
  const headers = { "capstan-session": String(JSON.parse(opened.text).session) };
  return {
    ask: (path: string) => send(path, { headers }),
    /** Opens a stream; dispose it. */
    async follow(topics: readonly string[]) {
      const query = new URLSearchParams(topics.map((topic): [string, string] => ["topic", topic]));
      const { sent, answer } = await openAt(Number(port), `/api/v1/stream?${query}`, { headers });
      sent.on("error", () => undefined);
      return { ...streamMessages(answer), [Symbol.dispose]: () => void sent.destroy() };
    },
  };
}
