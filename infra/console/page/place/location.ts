import { useEffect, useReducer } from "preact/hooks";

const watchers = new Set<() => void>();

function changed(): void {
  for (const watcher of watchers) watcher();
}

/** Goes to another page of the console. */
export function goTo(href: string): void {
  history.pushState(null, "", href);
  scrollTo(0, 0);
  changed();
}

/** The address with another value in its query, or without it when that is empty. */
export function addressWith(name: string, value: string): string {
  const query = new URLSearchParams(location.search);
  if (value === "") query.delete(name);
  else query.set(name, value);
  const text = query.toString();
  return text === "" ? location.pathname : `${location.pathname}?${text}`;
}

/** Goes to the address with another value in its query; the page stays in its place. */
export function setQuery(name: string, value: string): void {
  history.replaceState(null, "", addressWith(name, value));
  changed();
}

/** Follows the address: links to pages of the console are followed without a reload. */
export function followAddress(): void {
  addEventListener("popstate", changed);
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest("a");
    if (link === null || link.target !== "" || link.origin !== location.origin || link.hash !== "") return;
    event.preventDefault();
    goTo(link.pathname + link.search);
  });
}

/** The path and the query of the address. */
export function useAddress(): { readonly path: string; readonly query: URLSearchParams } {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const watcher = () => redraw(undefined);
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  }, []);
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}
