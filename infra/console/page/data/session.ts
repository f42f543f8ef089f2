/** Where the browser keeps the session: bound to scheme, host and port, which cookies are not. */
const SESSION = "capstan-session";
/** A token of the API server stays in this tab only. */
const TOKEN = "capstan-token";

/** Headers of a POST: no page of another origin can set them without being asked first. */
export const ACTING = { "Content-Type": "application/json", "Capstan-Action": "1" } as const;

/** The headers that say who asks; none before the person has signed in. */
export function identity(): Record<string, string> {
  const token = sessionStorage.getItem(TOKEN);
  if (token !== null) return { Authorization: `Bearer ${token}` };
  const session = localStorage.getItem(SESSION);
  return session === null ? {} : { "Capstan-Session": session };
}

/** Takes a token that the person has typed. */
export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

/**
 * Exchanges the code in the fragment of the link that the terminal shows for a session, and removes the code from the
 * address, which people copy. Without a code nothing happens; a refused code leaves an older session in place. Returns
 * whether there is a new session.
 */
export async function openSession(): Promise<boolean> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return false;
  history.replaceState(null, "", location.pathname + location.search);
  const answer = await fetch("/api/v1/session", {
    method: "POST",
    headers: ACTING,
    body: JSON.stringify({ code }),
  }).catch(() => undefined);
  if (answer?.ok !== true) return false;
  const { session } = (await answer.json()) as { readonly session: string };
  localStorage.setItem(SESSION, session);
  sessionStorage.removeItem(TOKEN);
  return true;
}

/** Calls back when the person has signed in behind this page: by a link in its address, or in another tab. */
export function onSignIn(signedIn: () => void): void {
  addEventListener("storage", signedIn);
  addEventListener("hashchange", () => void openSession().then((isNew) => isNew && signedIn()));
}
