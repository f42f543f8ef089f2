/** Headers of a button in the console's own page. */
export const PRESSED = {
  "content-type": "application/json",
  "capstan-action": "1",
  "sec-fetch-site": "same-origin",
} as const;

/** A person who asks the API of a running console, without a browser. */
export interface ConsoleClient {
  /** Header of every request. */
  readonly session: { readonly "capstan-session": string };
  /** `topic`: a path below `/api/v1/` with its query. Throws when it is refused. */
  read<Body>(topic: string): Promise<Body>;
  post<Body>(path: string, body: object): Promise<Body>;
}

/** Exchanges the code of the link for a session, as the page does. */
export async function openClient(link: string): Promise<ConsoleClient> {
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const answer = await fetch(new URL(`/api/v1/${path}`, link), init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const post = (path: string, body: object, headers = {}) =>
    ask(path, { method: "POST", headers: { ...PRESSED, ...headers }, body: JSON.stringify(body) });
  const opened = await post("session", { code: new URL(link).hash.replace("#code=", "") });
  const session = { "capstan-session": (opened as { readonly session: string }).session };
  return {
    session,
    read: <Body>(topic: string) => ask(topic, { headers: session }) as Promise<Body>,
    post: <Body>(path: string, body: object) => post(path, body, session) as Promise<Body>,
  };
}
